import { autoMergeEnabledText } from '#activity/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import { AccessRevoked, type CurrentAccess } from '#authorization/current-access.ts';
import type { MergeRequest } from '#authorization/merge-requests.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { mayMergeInto } from '#repositories/ref-updates/ref-permissions.ts';
import { updateMergeRequestRow } from '../store.ts';
import { enqueueAutoMergeAfter } from './enqueue.ts';
import { type AutoMergeOptions, hasAutoMerge, upsertAutoMerge } from './store.ts';

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
