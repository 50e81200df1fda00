import { findMergeRequest, type MergeRequest } from '#authorization/merge-requests.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { deleteApprovals, resetReviewStates } from '../approval-rows/index.ts';

/** Deletes all approvals without notifications. Fails if the merge request is merged. */
export async function resetApprovals(
  uow: UnitOfWork,
  { id, iid, project_id }: MergeRequest,
): Promise<undefined | Failure<'alreadyMerged'>> {
  const mergeRequest = await findMergeRequest(uow, uow.actor, project_id, iid);
  if (mergeRequest?.state === 'merged') return fail('alreadyMerged');
  await deleteApprovals(uow, id);
  await resetReviewStates(uow, id);
}
