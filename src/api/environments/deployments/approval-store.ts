import type { Selectable } from 'kysely';
import type { Columns, Reader, Transaction } from '#database/database.ts';
import { type Params, prepare, prepareForIds } from '#database/prepare.ts';
import type { Schema } from '#database/schema.ts';

// Rows of deployment approvals.

export type ApprovalRow = Selectable<Schema['deployment_approvals']>;
export type DeploymentApprovalStatus = ApprovalRow['status'];

const columns = [
  'id',
  'deployment_id',
  'user_id',
  'approval_rule_id',
  'rule_key',
  'status',
  'comment',
  'created_at',
  'updated_at',
] as const;

// index: deployment_approvals_by_rule
const findApprovalRows = prepareForIds<ApprovalRow>((db, ids) =>
  db.selectFrom('deployment_approvals').select(columns).where('deployment_id', 'in', ids).orderBy('id'),
);

// index: deployment_approvals_by_rule
const findApprovalRow = prepare((db, value: Params<{ deployment: number; user: number; rule: number }>) =>
  db
    .selectFrom('deployment_approvals')
    .select(columns)
    .where('deployment_id', '=', value('deployment'))
    .where('user_id', '=', value('user'))
    .where('rule_key', '=', value('rule')),
);

/** Returns the approvals of these deployments, oldest first. */
export function listApprovals(db: Reader, deploymentIds: readonly number[]): Promise<ApprovalRow[]> {
  return findApprovalRows(db, deploymentIds);
}

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
    .returning(columns)
    .executeTakeFirstOrThrow();
}

/** Updates an existing approval. index: deployment_approvals primary key */
export async function updateApproval(tx: Transaction, id: number, input: ApprovalInput): Promise<ApprovalRow> {
  return tx
    .updateTable('deployment_approvals')
    .set({ ...input, updated_at: tx.now })
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirstOrThrow();
}
