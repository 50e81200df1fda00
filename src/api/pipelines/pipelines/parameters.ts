import { optional } from '#http/parameters/declarations.ts';
import { refName, string, title } from '#http/parameters/texts.ts';
import { boolean, dateTime, oneOf } from '#http/parameters/types.ts';

/** Filters and orders of pipeline lists (contract/runners.md §4.3). */

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

const SOURCES = ['push', 'api', 'web', 'trigger', 'schedule', 'pipeline', 'external'] as const;

export const SCOPES = ['running', 'pending', 'finished', 'branches', 'tags'] as const;

/** Parameters that lists of a schedule's pipelines accept too. */
export const periodParams = {
  scope: optional(oneOf(...SCOPES)),
  status: optional(oneOf(...STATUSES)),
  created_after: optional(dateTime),
  created_before: optional(dateTime),
  updated_after: optional(dateTime),
  updated_before: optional(dateTime),
};

const ORDERS = ['id', 'status', 'ref', 'updated_at', 'user_id'] as const;
export type PipelineOrder = (typeof ORDERS)[number];

export const listParams = {
  ...periodParams,
  ref: optional(refName),
  sha: optional(string),
  source: optional(oneOf(...SOURCES)),
  username: optional(string),
  name: optional(title),
  yaml_errors: optional(boolean),
  order_by: optional(oneOf(...ORDERS), 'id'),
  sort: optional(oneOf('asc', 'desc'), 'desc'),
};
