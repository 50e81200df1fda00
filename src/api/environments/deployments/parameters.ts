import { FINISHED_DEPLOYMENT_STATUSES } from '#domain/deployments.ts';
import { describe, optional, type ParameterValues } from '#http/parameters/declarations.ts';
import { string } from '#http/parameters/texts.ts';
import { absentIfBlank, dateTime, oneOf } from '#http/parameters/types.ts';
import { type Failure, fail } from '#runtime/failure.ts';

// Parameters of the deployment endpoints (contract/environments.md Part 4).

export const listDeploymentParams = {
  environment: describe(optional(absentIfBlank(string)), 'The exact name of an environment.'),
  status: optional(oneOf('created', 'running', 'success', 'failed', 'canceled', 'skipped', 'blocked')),
  order_by: describe(
    optional(oneOf('id', 'iid', 'created_at', 'updated_at', 'finished_at'), 'id'),
    '`finished_at` requires a filter by finish time, or a `status` that ends a deployment.',
  ),
  sort: optional(oneOf('asc', 'desc'), 'asc'),
  updated_after: describe(optional(dateTime), 'Requires the order `updated_at`.'),
  updated_before: describe(optional(dateTime), 'Requires the order `updated_at`.'),
  finished_after: describe(optional(dateTime), 'Requires the order `finished_at` and the status `success`.'),
  finished_before: describe(
    optional(dateTime),
    'Exclusive, unlike the other time limits; requires the order `finished_at` and the status `success`.',
  ),
};

/** Filter and order of a list of deployments. */
export type DeploymentFilter = Partial<ParameterValues<typeof listDeploymentParams>> &
  Pick<ParameterValues<typeof listDeploymentParams>, 'order_by' | 'sort'>;

/** Errors for combinations of time filters and order that are not supported. */
export const FILTER_ERRORS = {
  conflictingTimeFilters: [
    400,
    '400 Bad request - Both `updated_at` filter and `finished_at` filter can not be specified',
  ],
  updateFilterWithoutSort: [400, '400 Bad request - `updated_at` filter requires `updated_at` sort'],
  finishFilterWithoutSort: [400, '400 Bad request - `finished_at` filter requires `finished_at` sort.'],
  finishSortWithoutFilter: [
    400,
    '400 Bad request - `finished_at` sort requires `finished_at` filter or a filter with at least one of the finished statuses.',
  ],
  finishFilterWithoutSuccess: [
    400,
    '400 Bad request - `finished_at` filter must be combined with `success` status filter.',
  ],
} as const;

/** Returns the first error of a filter, or null. */
export function validateFilter(filter: DeploymentFilter): Failure<keyof typeof FILTER_ERRORS> | null {
  const { status, order_by: order } = filter;
  const hasUpdateFilter = filter.updated_after != null || filter.updated_before != null;
  const hasFinishFilter = filter.finished_after != null || filter.finished_before != null;
  if (hasUpdateFilter && hasFinishFilter) return fail('conflictingTimeFilters');
  if (hasUpdateFilter && order !== 'updated_at') return fail('updateFilterWithoutSort');
  if (hasFinishFilter && order !== 'finished_at') return fail('finishFilterWithoutSort');
  const hasFinishedStatus = status != null && FINISHED_DEPLOYMENT_STATUSES.includes(status);
  if (order === 'finished_at' && !hasFinishFilter && !hasFinishedStatus) return fail('finishSortWithoutFilter');
  return hasFinishFilter && status !== 'success' ? fail('finishFilterWithoutSuccess') : null;
}
