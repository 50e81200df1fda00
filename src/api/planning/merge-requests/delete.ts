import type { MergeRequest } from '#authorization/merge-requests.ts';
import type { Act } from '#events/unit-of-work.ts';
import type { Failure } from '#runtime/failure.ts';
import { MERGE_REQUESTS, removeThing } from '../issuables/index.ts';
import { keepHeadsSoon } from './heads/head-refs.ts';

/** `unchanged`: only as it was when the caller read it. */
export async function removeMergeRequest(
  act: Act,
  mergeRequest: MergeRequest,
  unchanged: boolean,
): Promise<undefined | Failure<'gone' | 'changed'>> {
  const refusal = await removeThing(act, MERGE_REQUESTS, mergeRequest, unchanged);
  if (refusal) return refusal;
  await keepHeadsSoon(act, mergeRequest.project_id, [mergeRequest.iid]);
}
