import { autoMergeEnabled } from '#activity/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import { AccessRevoked, type Standing } from '#authorization/current-access.ts';
import type { MergeRequest } from '#authorization/merge-requests.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { mayMergeInto } from '#repositories/ref-updates/ref-permissions.ts';
import { updateMergeRequestRow } from '../store.ts';
import { isAutoMerged, type KeptWish, putAutoMerge } from './store.ts';

/**
 * It shall be merged by itself, in the caller's name and as he says; in place of what was said before. Part of an act in which all
 * that is waited for has been read again, so that nothing of it has come meanwhile without having been heard of.
 */
export async function setAutoMerge(
  uow: UnitOfWork<SignedInCaller>,
  { caller, project }: Standing,
  { id, target_branch, head_sha }: MergeRequest,
  wish: KeptWish,
): Promise<void> {
  if (!(await mayMergeInto(uow, caller, project, target_branch))) throw new AccessRevoked();
  const { merge_commit_message, squash_commit_message, squash, should_remove_source_branch } = wish;
  const kept = { merge_commit_message, squash_commit_message, squash, should_remove_source_branch };
  const wasOn = await isAutoMerged(uow, id);
  await putAutoMerge(uow, id, { userId: caller.user.id, head: head_sha, wish: kept });
  const columns = { should_remove_source_branch: should_remove_source_branch ?? null, updated_at: uow.now };
  await updateMergeRequestRow(uow, id, columns);
  if (wasOn) return;
  await uow.record({ noteOn: { type: 'MergeRequest', id }, text: autoMergeEnabled(head_sha) });
  await uow.publish('occurred', { event: 'merge_when_pipeline_succeeds', about: { type: 'MergeRequest', id } });
}
