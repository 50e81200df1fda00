import type { ExpressionBuilder, SelectQueryBuilder } from 'kysely';
import type { Reader, Schema } from '#database/database.ts';
import { type Page, paged } from '#database/page.ts';
import { type DeploymentRow, deploymentColumns } from '#domain/deployments.ts';
import { environmentNamed } from '#domain/environments.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import type { DeploymentFilter } from './parameters.ts';

/** Lists of deployments. */

/** One page of a project's deployments, or of those to one of its environments. */
export async function listDeployments(
  db: Reader,
  projectId: number,
  { environment, ...filter }: DeploymentFilter & { readonly environment?: string | null | undefined },
  page: OffsetRequest,
): Promise<Page<DeploymentRow>> {
  const found = environment == null ? null : await environmentNamed(db, projectId, environment);
  if (environment != null && found === null) return { items: [], total: 0, more: false };
  return paged(db, deploymentsOf(db, { projectId, environmentId: found?.id ?? null }, filter), page);
}

interface Place {
  readonly projectId: number;
  /** Null: all of the project. */
  readonly environmentId: number | null;
}

/**
 * In their order, complete. index: deployments_by_project, deployments_by_creation, deployments_by_update, deployments_by_end,
 * deployments_by_status, deployments_by_environment, deployments_by_environment_creation, deployments_by_environment_update,
 * deployments_finished
 */
export function deploymentsOf(
  db: Reader,
  { projectId, environmentId }: Place,
  filter: DeploymentFilter,
): SelectQueryBuilder<Schema, 'deployments', DeploymentRow> {
  const all = db.selectFrom('deployments').select(deploymentColumns);
  // An environment has its project's deployments alone.
  const placed =
    environmentId === null
      ? all.where('deployments.project_id', '=', projectId)
      : all.where('deployments.environment_id', '=', environmentId);
  const narrowed = placed.where((eb) => eb.and(conditions(eb, filter)));
  const { order_by: order, sort } = filter;
  // Numbers are given in the order of ids (`addDeployment`).
  const ordered =
    order === 'id' || order === 'iid' ? narrowed : narrowed.orderBy(`deployments.${order}` as const, sort);
  return ordered.orderBy('deployments.id', sort);
}

function conditions(eb: ExpressionBuilder<Schema, 'deployments'>, filter: DeploymentFilter) {
  const { status, updated_after, updated_before, finished_after, finished_before } = filter;
  const some = [];
  if (status != null) some.push(eb('deployments.status', '=', status));
  if (updated_after != null) some.push(eb('deployments.updated_at', '>=', updated_after));
  if (updated_before != null) some.push(eb('deployments.updated_at', '<=', updated_before));
  if (finished_after != null) some.push(eb('deployments.finished_at', '>=', finished_after));
  if (finished_before != null) some.push(eb('deployments.finished_at', '<', finished_before));
  return some;
}
