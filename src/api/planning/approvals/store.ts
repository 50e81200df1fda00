import type { Reader, Transaction } from '#database/database.ts';
import { prepareForIds } from '#database/prepare.ts';
import type { ReviewState } from '#database/tables/merge-requests.ts';

/** One of a user for a merge request. */
interface Approval {
  readonly id: number;
  readonly userId: number;
}

/** Of each of these merge requests, the first one first. index: merge_request_approvals_by_merge_request */
export async function approvalsOf(db: Reader, ids: readonly number[]) {
  const rows = await approvals(db, ids);
  return rows.sort((one, other) => one.id - other.id);
}

const approvals = prepareForIds((db, ids) =>
  db
    .selectFrom('merge_request_approvals')
    .select(['id', 'merge_request_id', 'user_id', 'created_at'])
    .where('merge_request_id', 'in', ids),
);

export async function insertApproval(tx: Transaction, { id, userId }: Approval): Promise<void> {
  await tx
    .insertInto('merge_request_approvals')
    .values({ merge_request_id: id, user_id: userId, created_at: tx.now })
    .execute();
}

/** False: there was none. index: merge_request_approvals_by_merge_request */
export async function deleteApproval(tx: Transaction, { id, userId }: Approval): Promise<boolean> {
  const gone = await tx
    .deleteFrom('merge_request_approvals')
    .where('merge_request_id', '=', id)
    .where('user_id', '=', userId)
    .returning('id')
    .executeTakeFirst();
  return gone !== undefined;
}

/** index: merge_request_approvals_by_merge_request */
export async function deleteApprovals(tx: Transaction, id: number): Promise<void> {
  await tx.deleteFrom('merge_request_approvals').where('merge_request_id', '=', id).execute();
}

/** What has become of it that he was asked to review it, if he was. index: merge_request_reviewers_by_merge_request */
export async function setReview(tx: Transaction, { id, userId }: Approval, state: ReviewState): Promise<void> {
  await tx
    .updateTable('merge_request_reviewers')
    .set({ state })
    .where('merge_request_id', '=', id)
    .where('user_id', '=', userId)
    .execute();
}

/** Of all who had approved. index: merge_request_reviewers_by_merge_request */
export async function unapproveReviews(tx: Transaction, id: number): Promise<void> {
  await tx
    .updateTable('merge_request_reviewers')
    .set({ state: 'unapproved' })
    .where('merge_request_id', '=', id)
    .where('state', '=', 'approved')
    .execute();
}
