import type { Reader, Transaction } from '#database/database.ts';
import { prepareForIds } from '#database/prepare.ts';
import type { ReviewState } from '#database/tables/merge-requests.ts';

/** A user's approval of a merge request. */
interface ApprovalRef {
  readonly id: number;
  readonly userId: number;
}

/** Loads the approvals of these merge requests, oldest first. index: merge_request_approvals_by_merge_request */
export async function loadApprovals(db: Reader, ids: readonly number[]) {
  const rows = await approvalsQuery(db, ids);
  return rows.sort((one, other) => one.id - other.id);
}

const approvalsQuery = prepareForIds((db, ids) =>
  db
    .selectFrom('merge_request_approvals')
    .select(['id', 'merge_request_id', 'user_id', 'created_at'])
    .where('merge_request_id', 'in', ids),
);

export async function insertApproval(tx: Transaction, { id, userId }: ApprovalRef): Promise<void> {
  await tx
    .insertInto('merge_request_approvals')
    .values({ merge_request_id: id, user_id: userId, created_at: tx.now })
    .execute();
}

/** Deletes an approval. Returns whether it existed. index: merge_request_approvals_by_merge_request */
export async function deleteApproval(tx: Transaction, { id, userId }: ApprovalRef): Promise<boolean> {
  const deletedRow = await tx
    .deleteFrom('merge_request_approvals')
    .where('merge_request_id', '=', id)
    .where('user_id', '=', userId)
    .returning('id')
    .executeTakeFirst();
  return deletedRow !== undefined;
}

/** index: merge_request_approvals_by_merge_request */
export async function deleteApprovals(tx: Transaction, id: number): Promise<void> {
  await tx.deleteFrom('merge_request_approvals').where('merge_request_id', '=', id).execute();
}

/** Updates the review state if the user is a reviewer. index: merge_request_reviewers_by_merge_request */
export async function updateReviewState(
  tx: Transaction,
  { id, userId }: ApprovalRef,
  state: ReviewState,
): Promise<void> {
  await tx
    .updateTable('merge_request_reviewers')
    .set({ state })
    .where('merge_request_id', '=', id)
    .where('user_id', '=', userId)
    .execute();
}

/** Resets the review state of all reviewers who had approved. index: merge_request_reviewers_by_merge_request */
export async function resetReviewStates(tx: Transaction, id: number): Promise<void> {
  await tx
    .updateTable('merge_request_reviewers')
    .set({ state: 'unapproved' })
    .where('merge_request_id', '=', id)
    .where('state', '=', 'approved')
    .execute();
}
