import { Type } from 'typebox';
import { describe, optional } from '#http/parameters/declarations.ts';
import type { ParameterType } from '#http/parameters/parameter-type.ts';
import { refName, shortText, string } from '#http/parameters/texts.ts';
import { arrayOf, boolean, dateTime, oneOf } from '#http/parameters/types.ts';

// Filters and orders of pipeline lists (contract/runners.md §4.3).

/** The statuses of pipelines and jobs. */
export const STATUSES = [
  'created',
  'waiting_for_resource',
  'preparing',
  'waiting_for_callback',
  'pending',
  'running',
  'success',
  'failed',
  'canceling',
  'canceled',
  'skipped',
  'manual',
  'scheduled',
] as const;

const status = oneOf(...STATUSES);
const statuses = arrayOf(status);

/** Accepts one value or an array. */
function oneOrArrayOf<T>(item: ParameterType<T>, array: ParameterType<T[]>): ParameterType<T[]> {
  return {
    schema: Type.Union([item.schema, array.schema]),
    valueForNull: [],
    read(raw, name, problems) {
      if (raw === null || typeof raw === 'object') return array.read(raw, name, problems);
      const value = item.read(raw, name, problems);
      return value === null ? null : [value];
    },
  };
}

/** Statuses of jobs: one, or an array. */
export const statusesParam = describe(optional(oneOrArrayOf(status, statuses)), 'One status, or an array of statuses.');

/** The server creates no pipelines of the sources after `external`; filters by them match nothing. */
const SOURCES = [
  'push',
  'api',
  'web',
  'trigger',
  'schedule',
  'pipeline',
  'external',
  'unknown',
  'chat',
  'webide',
  'merge_request_event',
  'external_pull_request_event',
  'parent_pipeline',
  'ondemand_dast_scan',
  'ondemand_dast_validation',
  'security_orchestration_policy',
  'container_registry_push',
  'duo_workflow',
  'pipeline_execution_policy_schedule',
] as const;

/** Filters that lists of a project's pipelines and of a schedule's pipelines share. */
export const sharedFilterParams = {
  scope: describe(
    optional(oneOf('running', 'pending', 'finished', 'branches', 'tags')),
    '`branches` and `tags` return only the newest pipeline of each branch or tag.',
  ),
  status: optional(oneOf(...STATUSES)),
  created_after: optional(dateTime),
  created_before: optional(dateTime),
  updated_after: optional(dateTime),
  updated_before: optional(dateTime),
};

export const listParams = {
  ...sharedFilterParams,
  ref: optional(refName),
  sha: optional(string),
  source: optional(oneOf(...SOURCES)),
  username: describe(optional(string), 'Username of the user who started the pipeline.'),
  name: optional(shortText),
  yaml_errors: describe(optional(boolean), 'Whether the CI file was invalid.'),
  order_by: optional(oneOf('id', 'status', 'ref', 'updated_at', 'user_id'), 'id'),
  sort: optional(oneOf('asc', 'desc'), 'desc'),
};
