import { findMergeRequest, type MergeRequest } from '#authorization/merge-requests.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { deleteApprovals, unapproveReviews } from './store.ts';

/** Nobody has approved of it any more; nobody is told. What is merged stays as it was approved of. */
export async function resetApprovals(
  uow: UnitOfWork,
  { id, iid, project_id }: MergeRequest,
): Promise<undefined | Failure<'merged'>> {
  const mergeRequest = await findMergeRequest(uow, uow.actor, project_id, iid);
  if (mergeRequest?.state === 'merged') return fail('merged');
  await deleteApprovals(uow, id);
  await unapproveReviews(uow, id);
}
