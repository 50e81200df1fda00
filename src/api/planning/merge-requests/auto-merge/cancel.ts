import { AUTO_MERGE_CANCELED_TEXT, autoMergeAbortedText, recordSystemNote } from '#activity/index.ts';
import type { MergeRequest } from '#authorization/merge-requests.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { deleteAutoMerges } from './store.ts';

/** Why an auto-merge was aborted. */
type AutoMergeAbortReason =
  | 'the source branch was updated'
  | 'target branch was changed'
  | 'merge request was closed'
  | 'the pipeline was deleted';

/** Aborts the auto-merge of these merge requests, in the unit of work that makes it invalid. */
export async function abortAutoMerges(
  uow: UnitOfWork,
  ids: readonly number[],
  reason: AutoMergeAbortReason,
): Promise<void> {
  for (const { id, userId } of await deleteAutoMerges(uow, ids)) {
    // If the server itself moved the branch, the note is written in the name of the user who enabled auto-merge.
    const note = { noteOn: { type: 'MergeRequest', id }, text: autoMergeAbortedText(reason) } as const;
    await recordSystemNote(uow, uow.actor.user?.id ?? userId, note);
  }
}

/** Cancels auto-merge on request. */
export async function cancelAutoMerge(
  uow: UnitOfWork,
  { id }: MergeRequest,
): Promise<{ readonly status: 'success' } | Failure<'autoMergeNotEnabled'>> {
  if ((await deleteAutoMerges(uow, [id])).length === 0) return fail('autoMergeNotEnabled');
  await uow.record({ noteOn: { type: 'MergeRequest', id }, text: AUTO_MERGE_CANCELED_TEXT });
  return { status: 'success' };
}
