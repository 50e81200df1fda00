import type { Reader, Transaction } from '#database/database.ts';
import { prepareForIds } from '#database/prepare.ts';
import type { ReviewState } from '#database/schema.ts';

/** The key of a user's approval of a merge request. */
interface ApprovalRef {
  readonly mergeRequestId: number;
  readonly userId: number;
}

/** Loads the approvals of these merge requests, oldest first. index: merge_request_approvals_by_merge_request */
export async function loadApprovals(db: Reader, ids: readonly number[]) {
  const rows = await selectApprovals(db, ids);
  return rows.sort((first, second) => first.id - second.id);
}

const selectApprovals = prepareForIds((db, ids) =>
  db
    .selectFrom('merge_request_approvals')
    .select(['id', 'merge_request_id', 'user_id', 'created_at'])
    .where('merge_request_id', 'in', ids),
);

/** Inserts an approval. Returns false if the user has already approved. index: merge_request_approvals_by_merge_request */
export async function insertApproval(tx: Transaction, { mergeRequestId, userId }: ApprovalRef): Promise<boolean> {
  const insertedRow = await tx
    .insertInto('merge_request_approvals')
    .values({ merge_request_id: mergeRequestId, user_id: userId, created_at: tx.now })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return insertedRow !== undefined;
}

/** Deletes an approval. Returns whether it existed. index: merge_request_approvals_by_merge_request */
export async function deleteApproval(tx: Transaction, { mergeRequestId, userId }: ApprovalRef): Promise<boolean> {
  const deletedRow = await tx
    .deleteFrom('merge_request_approvals')
    .where('merge_request_id', '=', mergeRequestId)
    .where('user_id', '=', userId)
    .returning('id')
    .executeTakeFirst();
  return deletedRow !== undefined;
}

/** Deletes all approvals of a merge request. index: merge_request_approvals_by_merge_request */
export async function deleteApprovals(tx: Transaction, mergeRequestId: number): Promise<void> {
  await tx.deleteFrom('merge_request_approvals').where('merge_request_id', '=', mergeRequestId).execute();
}

/** Updates the review state if the user is a reviewer. index: merge_request_reviewers_by_merge_request */
export async function updateReviewState(
  tx: Transaction,
  { mergeRequestId, userId }: ApprovalRef,
  state: ReviewState,
): Promise<void> {
  await tx
    .updateTable('merge_request_reviewers')
    .set({ state })
    .where('merge_request_id', '=', mergeRequestId)
    .where('user_id', '=', userId)
    .execute();
}

/** Resets the review state of all reviewers who had approved. index: merge_request_reviewers_by_merge_request */
export async function resetReviewStates(tx: Transaction, mergeRequestId: number): Promise<void> {
  await tx
    .updateTable('merge_request_reviewers')
    .set({ state: 'unapproved' })
    .where('merge_request_id', '=', mergeRequestId)
    .where('state', '=', 'approved')
    .execute();
}
