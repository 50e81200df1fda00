import { AUTO_MERGE_CANCELED, autoMergeAborted, recordSystemNote } from '#activity/index.ts';
import type { MergeRequest } from '#authorization/merge-requests.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { takeAutoMerges } from './store.ts';

/** Why a merge request is not merged by itself any more. */
type Reason = 'the source branch was updated' | 'target branch was changed' | 'merge request was closed';

/** Those of these that were to be merged by themselves are no longer: part of the act by which that is so. */
export async function abortAutoMerges(uow: UnitOfWork, ids: readonly number[], reason: Reason): Promise<void> {
  for (const { id, userId } of await takeAutoMerges(uow, ids)) {
    // What nobody has done, a branch that the server has moved, is told in the name of who has wished for the merge.
    const note = { noteOn: { type: 'MergeRequest', id }, text: autoMergeAborted(reason) } as const;
    await recordSystemNote(uow, uow.actor.user?.id ?? userId, note);
  }
}

/** Somebody takes back that it shall be merged by itself. */
export async function cancelAutoMerge(
  uow: UnitOfWork,
  { id }: MergeRequest,
): Promise<{ readonly status: 'success' } | Failure<'notOn'>> {
  if ((await takeAutoMerges(uow, [id])).length === 0) return fail('notOn');
  await uow.record({ noteOn: { type: 'MergeRequest', id }, text: AUTO_MERGE_CANCELED });
  return { status: 'success' };
}
