import { sql } from 'kysely';
import { isSignedIn } from '#authentication/caller.ts';
import { AccessRevoked } from '#authorization/current-access.ts';
import { findMergeRequests } from '#authorization/merge-requests.ts';
import type { Reader, Transaction } from '#database/database.ts';
import { hasRow } from '#database/page.ts';
import { findProject } from '#domain/namespaces/projects.ts';
import { defineSubscription } from '#events/event-bus.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { defineJob } from '#jobs/job.ts';
import { isBeingMerged, loadMergeRequestsBeingMerged } from '#repositories/ref-updates/intents.ts';
import { loadActor } from '#repositories/ref-updates/ref-update-actor.ts';
import { isFailure } from '#runtime/failure.ts';
import { type MergeFailure, type MergeServices, runAutoMerge } from '../merging/merge.ts';
import { loadMergeSettings, updateMergeError } from '../store.ts';
import {
  AUTO_MERGE,
  abortAutoMerges,
  enqueueAutoMerge,
  enqueueAutoMergeIfEnabled,
  enqueueAutoMergeLater,
} from './changes.ts';
import { deleteAutoMerges, findAutoMerge, hasAutoMerge } from './store.ts';

/** Delay before the check whether another merge is still in progress. */
const MERGE_IN_PROGRESS_DELAY_MS = 60_000;

/** Delay before a retry, in milliseconds, for failures that end without an event. */
const RETRY_DELAYS_MS: Partial<Record<MergeFailure, number>> = {
  readOnly: 10 * 60_000,
  mergeInProgress: MERGE_IN_PROGRESS_DELAY_MS,
};

const CONFLICT = 'Branch cannot be merged';
const MERGER_NOT_ALLOWED = 'Auto-merge failed: who has enabled it is not allowed to merge into the target branch.';
const MERGE_FAILED = 'Auto-merge failed: the merge could not be made.';

/**
 * Merges a merge request with auto-merge if it is ready, as the user who enabled it and with their current permissions. If several
 * events enqueue the job, one run merges and the others find the merge request merged.
 */
export const autoMergeJob = defineJob({
  ...AUTO_MERGE,
  maxAttempts: 6,
  async handle(services: MergeServices, { mergeRequestId: id }: { readonly mergeRequestId: number }) {
    const failure = await tryAutoMerge(services, id);
    if (failure !== null) await services.database.transaction((tx) => failAutoMerge(tx, id, failure));
  },
  onDead: (tx, { mergeRequestId: id }) => failAutoMerge(tx, id, MERGE_FAILED),
});

/** Returns the error message of a final failure, or null if the merge request was merged or may be merged later. */
async function tryAutoMerge(services: MergeServices, id: number): Promise<string | null> {
  const { database } = services;
  const db = database.forRequest().reader;
  const pendingMerge = await findAutoMerge(db, id);
  if (pendingMerge === null) return null;
  const caller = await loadActor(db, pendingMerge.userId);
  const [mergeRequest] = await findMergeRequests(db, caller, [id]);
  if (mergeRequest === undefined) return null;
  const project = await findProject(db, caller, String(mergeRequest.project_id));
  if (project === null || !isSignedIn(caller)) return MERGER_NOT_ALLOWED;
  if (pendingMerge.head !== mergeRequest.head_sha) {
    await services.runUnitOfWork(caller, (uow) => abortIfHeadMoved(uow, id));
    return null;
  }
  try {
    const result = await runAutoMerge(services, caller, project, mergeRequest, pendingMerge.options);
    if (!isFailure(result)) return null;
    // The branches keep moving: the job queue retries later.
    if (result.code === 'branchesMoved')
      throw new Error(
        `Auto-merge of merge request ${id}: its branches were moved during each attempt; the job is retried`,
      );
    const delayMs = RETRY_DELAYS_MS[result.code];
    if (delayMs !== undefined) await database.transaction((tx) => enqueueAutoMergeLater(tx, id, delayMs));
    // After other failures an event enqueues the job again.
    return result.code === 'conflict' ? CONFLICT : null;
  } catch (error) {
    if (error instanceof AccessRevoked) return MERGER_NOT_ALLOWED;
    throw error;
  }
}

/** Handles a push during a merge: retries while the merge is in progress, else aborts auto-merge. */
async function abortIfHeadMoved(uow: UnitOfWork, id: number): Promise<void> {
  if (await isBeingMerged(uow, id)) return enqueueAutoMergeLater(uow, id, MERGE_IN_PROGRESS_DELAY_MS);
  const pendingMerge = await findAutoMerge(uow, id);
  const [currentMergeRequest] = await findMergeRequests(uow, uow.actor, [id]);
  if (pendingMerge !== null && pendingMerge.head !== currentMergeRequest?.head_sha)
    await abortAutoMerges(uow, [id], 'the source branch was updated');
}

/** Handles a push: checks merge requests again later if they are being merged, and aborts the auto-merge of the others. */
export async function abortOrRetryAutoMerges(uow: UnitOfWork, ids: readonly number[]): Promise<void> {
  const idsInProgress = await loadMergeRequestsBeingMerged(uow, ids);
  for (const id of ids.filter((mergeRequestId) => idsInProgress.has(mergeRequestId))) {
    if (await hasAutoMerge(uow, id)) await enqueueAutoMergeLater(uow, id, MERGE_IN_PROGRESS_DELAY_MS);
  }
  const otherIds = ids.filter((id) => !idsInProgress.has(id));
  if (otherIds.length > 0) await abortAutoMerges(uow, otherIds, 'the source branch was updated');
}

/** Disables auto-merge and stores why it failed, unless it was disabled meanwhile. */
async function failAutoMerge(tx: Transaction, id: number, failure: string): Promise<void> {
  if ((await deleteAutoMerges(tx, [id])).length > 0) await updateMergeError(tx, id, failure);
}

/** Continues auto-merge when the head pipeline of a merge request succeeds or is skipped, which some projects accept. */
export const autoMergeOnPipelineFinished = defineSubscription({
  event: 'pipeline-finished',
  async inTransaction(uow, { pipelineId, status }) {
    if (status === 'failed') return;
    for (const id of await listAutoMergesForPipeline(uow, pipelineId)) await enqueueAutoMerge(uow, id);
  },
});

/**
 * Continues auto-merge when the head pipeline is deleted. Aborts it if the project requires a pipeline and the head has
 * no other one.
 */
export const autoMergeOnPipelineDeleted = defineSubscription({
  event: 'pipeline-deleted',
  async inTransaction(uow, { projectId, pipelineId }) {
    const ids = await listAutoMergesForPipeline(uow, pipelineId);
    if (ids.length === 0) return;
    const settings = (await loadMergeSettings(uow, [projectId])).get(projectId);
    if (settings?.only_allow_merge_if_pipeline_succeeds && !(await hasOtherPipeline(uow, pipelineId)))
      return abortAutoMerges(uow, ids, 'the pipeline was deleted');
    for (const id of ids) await enqueueAutoMerge(uow, id);
  },
});

/** Continues auto-merge when the last open thread is resolved. */
export const autoMergeOnThreadsResolved = defineSubscription({
  event: 'threads-resolved',
  inTransaction: (uow, { mergeRequestId }) => enqueueAutoMergeIfEnabled(uow, mergeRequestId),
});

/** Returns the open merge requests with auto-merge whose head the pipeline ran for. index: pipelines primary key, merge_requests_open_by_branches, merge_request_auto_merges primary key */
async function listAutoMergesForPipeline(db: Reader, pipelineId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('pipelines')
    .innerJoin('merge_requests', (join) =>
      join
        .onRef('merge_requests.project_id', '=', 'pipelines.project_id')
        .onRef('merge_requests.source_branch', '=', 'pipelines.ref')
        .onRef('merge_requests.head_sha', '=', 'pipelines.sha')
        .on('merge_requests.state', '=', sql.lit('opened' as const)),
    )
    .innerJoin('merge_request_auto_merges as auto_merge', 'auto_merge.merge_request_id', 'merge_requests.id')
    .select('merge_requests.id')
    .where('pipelines.id', '=', pipelineId)
    .where('pipelines.tag', '=', false)
    .execute();
  return rows.map(({ id }) => id);
}

/** Returns whether another pipeline ran for the same commit of the same branch. index: pipelines primary key, pipelines_by_sha_ref */
function hasOtherPipeline(db: Reader, pipelineId: number): Promise<boolean> {
  return hasRow(
    db
      .selectFrom('pipelines')
      .innerJoin('pipelines as other', (join) =>
        join
          .onRef('other.project_id', '=', 'pipelines.project_id')
          .onRef('other.sha', '=', 'pipelines.sha')
          .onRef('other.ref', '=', 'pipelines.ref')
          .onRef('other.tag', '=', 'pipelines.tag')
          .onRef('other.id', '<>', 'pipelines.id'),
      )
      .select('other.id')
      .where('pipelines.id', '=', pipelineId),
  );
}
