import { findMergeRequest, type MergeRequest } from '#authorization/merge-requests.ts';
import type { Act } from '#events/unit-of-work.ts';
import { type Failure, refused } from '#runtime/failure.ts';
import { deleteApprovals, unapproveReviews } from './store.ts';

/** Nobody has approved of it any more; nobody is told. What is merged stays as it was approved of. */
export async function resetApprovals(
  act: Act,
  { id, iid, project_id }: MergeRequest,
): Promise<undefined | Failure<'merged'>> {
  const mergeRequest = await findMergeRequest(act, act.by, project_id, iid);
  if (mergeRequest?.state === 'merged') return refused('merged');
  await deleteApprovals(act, id);
  await unapproveReviews(act, id);
}
