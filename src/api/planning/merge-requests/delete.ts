import type { MergeRequest } from '#authorization/merge-requests.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Failure } from '#runtime/failure.ts';
import { MERGE_REQUESTS, removeThing } from '../issuables/index.ts';
import { keepHeadsSoon } from './heads/head-refs.ts';

/** `unchanged`: only as it was when the caller read it. */
export async function removeMergeRequest(
  uow: UnitOfWork,
  mergeRequest: MergeRequest,
  unchanged: boolean,
): Promise<undefined | Failure<'gone' | 'changed'>> {
  const refusal = await removeThing(uow, MERGE_REQUESTS, mergeRequest, unchanged);
  if (refusal) return refusal;
  await keepHeadsSoon(uow, mergeRequest.project_id, [mergeRequest.iid]);
}
