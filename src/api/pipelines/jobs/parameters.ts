import { object, optional, required } from '#http/parameters/declarations.ts';
import { refName, string } from '#http/parameters/texts.ts';
import { arrayOf, boolean, oneOf } from '#http/parameters/types.ts';
import { STATUSES, statusesParam } from '../pipelines/index.ts';

/** Parameters of job lists and of playing a job (contract/runners.md §5). */

export const listParams = { scope: statusesParam, ref: optional(refName) };

export const pipelineJobsParams = {
  scope: listParams.scope,
  include_retried: optional(boolean, false),
};

export const runnerJobsParams = {
  status: optional(oneOf(...STATUSES)),
  order_by: optional(oneOf('id')),
  sort: optional(oneOf('asc', 'desc')),
};

export const playParams = {
  job_variables_attributes: optional(arrayOf(object({ key: required(string), value: required(string) }))),
};
