import type { ExpressionBuilder, Selectable, SelectQueryBuilder } from 'kysely';
import type { Columns, Reader, Schema, Transaction } from '#database/database.ts';
import { type Page, paginate } from '#database/page.ts';
import { type Params, prepare, prepareForIds } from '#database/prepare.ts';
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
  // All limits are inclusive except `finished_before` (contract/environments.md Part 4).
  if (finished_before != null) conditions.push(eb('deployments.finished_at', '<', finished_before));
  return conditions;
}

// Rows of deployment approvals.

export type ApprovalRow = Selectable<Schema['deployment_approvals']>;
export type DeploymentApprovalStatus = ApprovalRow['status'];

const approvalColumns = [
  ...(['id', 'deployment_id', 'user_id', 'approval_rule_id', 'rule_key', 'status', 'comment'] as const),
  ...(['created_at', 'updated_at'] as const),
] as const;

/** Returns the approvals of these deployments, oldest first. index: deployment_approvals_by_rule */
export const listApprovals = prepareForIds<ApprovalRow>((db, ids) =>
  db.selectFrom('deployment_approvals').select(approvalColumns).where('deployment_id', 'in', ids).orderBy('id'),
);

// index: deployment_approvals_by_rule
const findApprovalRow = prepare((db, value: Params<{ deployment: number; user: number; rule: number }>) =>
  db
    .selectFrom('deployment_approvals')
    .select(approvalColumns)
    .where('deployment_id', '=', value('deployment'))
    .where('user_id', '=', value('user'))
    .where('rule_key', '=', value('rule')),
);

interface ApprovalKey {
  readonly deploymentId: number;
  readonly userId: number;
  /** Null if the environment requires a number of approvals, without rules; the rule key is 0 then. */
  readonly ruleId: number | null;
}

type ApprovalInput = Columns<'deployment_approvals', 'status' | 'comment'>;

/** Returns the user's approval of the deployment for this rule, or undefined. */
export async function findApproval(
  db: Reader,
  { deploymentId, userId, ruleId }: ApprovalKey,
): Promise<ApprovalRow | undefined> {
  return findApprovalRow.first(db, { deployment: deploymentId, user: userId, rule: ruleId ?? 0 });
}

/** Inserts a first approval. */
export async function insertApproval(
  tx: Transaction,
  { deploymentId, userId, ruleId }: ApprovalKey,
  input: ApprovalInput,
): Promise<ApprovalRow> {
  return tx
    .insertInto('deployment_approvals')
    .values({
      deployment_id: deploymentId,
      user_id: userId,
      approval_rule_id: ruleId,
      rule_key: ruleId ?? 0,
      ...input,
      created_at: tx.now,
      updated_at: tx.now,
    })
    .returning(approvalColumns)
    .executeTakeFirstOrThrow();
}

/** Updates an existing approval. index: deployment_approvals primary key */
export async function updateApproval(tx: Transaction, id: number, input: ApprovalInput): Promise<ApprovalRow> {
  return tx
    .updateTable('deployment_approvals')
    .set({ ...input, updated_at: tx.now })
    .where('id', '=', id)
    .returning(approvalColumns)
    .executeTakeFirstOrThrow();
}
