import type { MergeRequest } from '#authorization/merge-requests.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Failure } from '#runtime/failure.ts';
import { deleteIssuable, MERGE_REQUESTS } from '../issuables/index.ts';
import { enqueueHeadRefUpdate } from './heads/head-refs.ts';

/** Deletes a merge request and its head refs. With `onlyIfUnchanged`, fails with `changed` if it was updated after it was read. */
export async function deleteMergeRequestIfUnchanged(
  uow: UnitOfWork,
  mergeRequest: MergeRequest,
  onlyIfUnchanged: boolean,
): Promise<undefined | Failure<'notFound' | 'changed'>> {
  const deleteFailure = await deleteIssuable(uow, MERGE_REQUESTS, mergeRequest, onlyIfUnchanged);
  if (deleteFailure) return deleteFailure;
  await enqueueHeadRefUpdate(uow, mergeRequest.project_id, [mergeRequest.iid]);
}
