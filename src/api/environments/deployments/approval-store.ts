import type { Selectable } from 'kysely';
import type { Reader, Transaction } from '#database/database.ts';
import { type Params, prepare, prepareForIds } from '#database/prepare.ts';
import type { EnvironmentsTables } from '#database/tables/environments.ts';

/** What people have said of deployments, as rows. */

export type ApprovalRow = Selectable<EnvironmentsTables['deployment_approvals']>;
export type Verdict = ApprovalRow['status'];

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
const ofDeployments = prepareForIds<ApprovalRow>((db, ids) =>
  db.selectFrom('deployment_approvals').select(columns).where('deployment_id', 'in', ids).orderBy('id'),
);

// index: deployment_approvals_by_rule
const ofUser = prepare((db, value: Params<{ deployment: number; user: number; rule: number }>) =>
  db
    .selectFrom('deployment_approvals')
    .select(columns)
    .where('deployment_id', '=', value('deployment'))
    .where('user_id', '=', value('user'))
    .where('rule_key', '=', value('rule')),
);

/** Of all of these deployments, the oldest first. */
export function approvalsOf(db: Reader, deploymentIds: readonly number[]): Promise<ApprovalRow[]> {
  return ofDeployments(db, deploymentIds);
}

interface Voice {
  readonly deploymentId: number;
  readonly userId: number;
  /** Null: no rule asks for it, but a count. */
  readonly ruleId: number | null;
}

interface Said {
  readonly status: Verdict;
  readonly comment: string | null;
}

/** What a user has said of the deployment by this rule. */
export async function approvalOf(
  db: Reader,
  { deploymentId, userId, ruleId }: Voice,
): Promise<ApprovalRow | undefined> {
  return ofUser.first(db, { deployment: deploymentId, user: userId, rule: ruleId ?? 0 });
}

/** He says it for the first time. */
export async function addApproval(
  tx: Transaction,
  { deploymentId, userId, ruleId }: Voice,
  said: Said,
): Promise<ApprovalRow> {
  return tx
    .insertInto('deployment_approvals')
    .values({
      deployment_id: deploymentId,
      user_id: userId,
      approval_rule_id: ruleId,
      rule_key: ruleId ?? 0,
      ...said,
      created_at: tx.now,
      updated_at: tx.now,
    })
    .returning(columns)
    .executeTakeFirstOrThrow();
}

/** He says something else. index: deployment_approvals primary key */
export async function changeApproval(tx: Transaction, id: number, said: Said): Promise<ApprovalRow> {
  return tx
    .updateTable('deployment_approvals')
    .set({ ...said, updated_at: tx.now })
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirstOrThrow();
}
