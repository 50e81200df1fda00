import {
  AUTO_MERGE_CANCELED_TEXT,
  autoMergeAbortedText,
  autoMergeEnabledText,
  recordSystemNote,
} from '#activity/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import { AccessRevoked, type CurrentAccess } from '#authorization/current-access.ts';
import type { MergeRequest } from '#authorization/merge-requests.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { mayMergeInto } from '#repositories/ref-updates/ref-permissions.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { updateMergeRequestRow } from '../store.ts';
import { enqueueAutoMergeAfter } from './enqueue.ts';
import { type AutoMergeOptions, deleteAutoMerges, hasAutoMerge, upsertAutoMerge } from './store.ts';

/**
 * Enables auto-merge as the caller, replacing earlier options. Must run in a unit of work that has read all merge requirements again:
 * else nothing would trigger the merge if the last requirement was fulfilled in between.
 */
export async function enableAutoMerge(
  uow: UnitOfWork<SignedInCaller>,
  { caller, project }: CurrentAccess,
  { id, target_branch, head_sha, merge_after }: MergeRequest,
  options: AutoMergeOptions & { readonly squash?: boolean | null | undefined },
): Promise<void> {
  if (!(await mayMergeInto(uow, caller, project, target_branch))) throw new AccessRevoked();
  const { merge_commit_message, squash_commit_message, squash, should_remove_source_branch } = options;
  const autoMergeOptions = { merge_commit_message, squash_commit_message, should_remove_source_branch };
  const wasEnabled = await hasAutoMerge(uow, id);
  await upsertAutoMerge(uow, id, { userId: caller.user.id, head: head_sha, options: autoMergeOptions });
  await updateMergeRequestRow(uow, id, {
    should_remove_source_branch: should_remove_source_branch ?? null,
    squash: squash ?? undefined,
    updated_at: uow.now,
  });
  // No event is published at that time, so the job is scheduled.
  if (merge_after !== null && merge_after > uow.now) await enqueueAutoMergeAfter(uow, id, merge_after);
  if (wasEnabled) return;
  await uow.record({ noteOn: { type: 'MergeRequest', id }, text: autoMergeEnabledText(head_sha) });
  await uow.publish('notifiable-event-occurred', {
    event: 'merge_when_pipeline_succeeds',
    about: { type: 'MergeRequest', id },
  });
}

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
