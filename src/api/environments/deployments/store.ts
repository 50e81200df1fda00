import type { ExpressionBuilder, SelectQueryBuilder } from 'kysely';
import type { Reader, Schema } from '#database/database.ts';
import { type Page, paginate } from '#database/page.ts';
import { type DeploymentRow, deploymentColumns } from '#domain/deployments.ts';
import { findEnvironmentByName } from '#domain/environments.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import type { DeploymentFilter } from './parameters.ts';

// Lists of deployments.

/** Returns one page of the deployments of a project or of one of its environments. */
export async function listDeployments(
  db: Reader,
  projectId: number,
  { environment, ...filter }: DeploymentFilter & { readonly environment?: string | null | undefined },
  page: OffsetRequest,
): Promise<Page<DeploymentRow>> {
  const environmentRow = environment == null ? null : await findEnvironmentByName(db, projectId, environment);
  if (environment != null && environmentRow === null) return { items: [], total: 0, hasMore: false };
  return paginate(db, buildDeploymentQuery(db, { projectId, environmentId: environmentRow?.id ?? null }, filter), page);
}

interface DeploymentScope {
  readonly projectId: number;
  /** Null means all environments. */
  readonly environmentId: number | null;
}

/**
 * Returns the complete ordered query. index: deployments_by_project, deployments_by_creation, deployments_by_update, deployments_by_end,
 * deployments_by_status, deployments_by_environment, deployments_by_environment_creation, deployments_by_environment_update,
 * deployments_finished
 */
export function buildDeploymentQuery(
  db: Reader,
  { projectId, environmentId }: DeploymentScope,
  filter: DeploymentFilter,
): SelectQueryBuilder<Schema, 'deployments', DeploymentRow> {
  const allDeployments = db.selectFrom('deployments').select(deploymentColumns);
  // An environment has deployments of its project only.
  const scopedQuery =
    environmentId === null
      ? allDeployments.where('deployments.project_id', '=', projectId)
      : allDeployments.where('deployments.environment_id', '=', environmentId);
  const filteredQuery = scopedQuery.where((eb) => eb.and(createConditions(eb, filter)));
  const { order_by: order, sort } = filter;
  // Iids are assigned in the order of ids (`insertDeployment`).
  const orderedQuery =
    order === 'id' || order === 'iid' ? filteredQuery : filteredQuery.orderBy(`deployments.${order}` as const, sort);
  return orderedQuery.orderBy('deployments.id', sort);
}

function createConditions(eb: ExpressionBuilder<Schema, 'deployments'>, filter: DeploymentFilter) {
  const { status, updated_after, updated_before, finished_after, finished_before } = filter;
  const conditions = [];
  if (status != null) conditions.push(eb('deployments.status', '=', status));
  if (updated_after != null) conditions.push(eb('deployments.updated_at', '>=', updated_after));
  if (updated_before != null) conditions.push(eb('deployments.updated_at', '<=', updated_before));
  if (finished_after != null) conditions.push(eb('deployments.finished_at', '>=', finished_after));
  // Of these limits only `finished_before` is exclusive (contract/environments.md Part 4).
  if (finished_before != null) conditions.push(eb('deployments.finished_at', '<', finished_before));
  return conditions;
}
