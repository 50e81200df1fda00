import { Type } from 'typebox';
import { object, optional, required } from '#http/parameters/declarations.ts';
import type { ParameterType } from '#http/parameters/parameter-type.ts';
import { refName, string } from '#http/parameters/texts.ts';
import { arrayOf, boolean, oneOf } from '#http/parameters/types.ts';
import { STATUSES } from '../pipelines/index.ts';

/** Parameters of job lists and of playing a job (contract/runners.md §5). */

const status = oneOf(...STATUSES);
const statuses = arrayOf(status);

/** Accepts one value or an array. */
function oneOrArrayOf<T>(item: ParameterType<T>, array: ParameterType<T[]>): ParameterType<T[]> {
  return {
    schema: Type.Union([item.schema, array.schema]),
    blank: [],
    read(raw, name, problems) {
      if (raw === null || typeof raw === 'object') return array.read(raw, name, problems);
      const value = item.read(raw, name, problems);
      return value === null ? null : [value];
    },
  };
}

export const listParams = { scope: optional(oneOrArrayOf(status, statuses)), ref: optional(refName) };

export const pipelineJobsParams = {
  scope: listParams.scope,
  include_retried: optional(boolean, false),
};

export const runnerJobsParams = {
  status: optional(status),
  order_by: optional(oneOf('id')),
  sort: optional(oneOf('asc', 'desc')),
};

export const playParams = {
  job_variables_attributes: optional(arrayOf(object({ key: required(string), value: required(string) }))),
};
