import {
  AUTO_MERGE_CANCELED_TEXT,
  autoMergeAbortedText,
  autoMergeEnabledText,
  recordSystemNote,
} from '#activity/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import { AccessRevoked, type CurrentAccess } from '#authorization/current-access.ts';
import type { MergeRequest } from '#authorization/merge-requests.ts';
import type { Transaction } from '#database/database.ts';
import type { PipelineStatus } from '#database/schema.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { enqueue } from '#jobs/job.ts';
import { mayMergeInto } from '#repositories/ref-updates/ref-permissions.ts';
import { addMilliseconds } from '#runtime/clock.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { type DetailedStatus, findObstacles, isBlockedByPipeline, type MergeChecks } from '../merging/mergeability.ts';
import { updateMergeRequestRow } from '../store.ts';
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
  // No event is published when `merge_after` passes, so the job is scheduled for that time.
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

/** The kind of the job that runs a pending auto-merge (`job.ts`). */
export const AUTO_MERGE = { kind: 'run_auto_merge' } as const;

/** Enqueues the auto-merge job after this delay in milliseconds. */
export const enqueueAutoMergeLater = (tx: Transaction, id: number, delayMs: number) =>
  enqueue(tx, AUTO_MERGE, { mergeRequestId: id }, { key: `${id}`, runAt: addMilliseconds(tx.now, delayMs) });

/** Enqueues the auto-merge job if auto-merge is enabled, in the unit of work that may have made the merge request ready. */
export async function enqueueAutoMergeIfEnabled(tx: Transaction, id: number): Promise<void> {
  if (await hasAutoMerge(tx, id)) await enqueueAutoMerge(tx, id);
}

/** Enqueues the auto-merge job at this time, or now for null, if auto-merge is enabled. */
export async function enqueueAutoMergeAfter(tx: Transaction, id: number, time: string | null): Promise<void> {
  if (time === null || time <= tx.now) return enqueueAutoMergeIfEnabled(tx, id);
  if (!(await hasAutoMerge(tx, id))) return;
  await enqueue(tx, AUTO_MERGE, { mergeRequestId: id }, { key: `${id} after ${time}`, runAt: time });
}

/** Enqueues the auto-merge job now. */
export const enqueueAutoMerge = (tx: Transaction, id: number) =>
  enqueue(tx, AUTO_MERGE, { mergeRequestId: id }, { key: `${id}` });

/** Statuses that only another head or target branch can fix. A change of either aborts auto-merge. */
const FINAL_STATUSES: readonly DetailedStatus[] = [
  'not_open',
  'commits_status',
  'conflict',
  'need_rebase',
  'unchecked',
];

/** Statuses of pipelines that are still in progress. */
const ACTIVE_PIPELINE_STATUSES: readonly (PipelineStatus | null)[] = [
  'created',
  'waiting_for_resource',
  'preparing',
  'waiting_for_callback',
  'pending',
  'running',
];

/** Returns whether a pipeline with this status is in progress; null: there is none. */
export const isPipelineActive = (status: PipelineStatus | null) => ACTIVE_PIPELINE_STATUSES.includes(status);

/**
 * Decides whether a request for auto-merge merges now, merges later, or fails because there is nothing to wait for. The checks must
 * contain the pipeline even if the project does not require one. contract/planning.md §3.8 "Auto-merge"
 */
export function decideAutoMerge(mergeChecks: MergeChecks): 'now' | 'later' | 'notMergeable' {
  const obstacles = findObstacles(mergeChecks);
  if (obstacles.some((status) => FINAL_STATUSES.includes(status))) return 'notMergeable';
  if (obstacles.length > 0 || isPipelineActive(mergeChecks.pipeline)) return 'later';
  return mergeChecks.pipeline === 'success' ? 'now' : 'notMergeable';
}

/** Returns whether all requirements are fulfilled. */
export function isReadyToAutoMerge(mergeChecks: MergeChecks): boolean {
  const { pipeline, settings } = mergeChecks;
  const hasPassed = pipeline === null || pipeline === 'success' || isSkippedPipelineAccepted({ pipeline, settings });
  return hasPassed && findObstacles(mergeChecks).length === 0;
}

/** Returns whether the pipeline was skipped and the project accepts that. */
const isSkippedPipelineAccepted = ({ pipeline, settings }: Pick<MergeChecks, 'pipeline' | 'settings'>) =>
  pipeline === 'skipped' && settings.only_allow_merge_if_pipeline_succeeds && !isBlockedByPipeline(pipeline, settings);
