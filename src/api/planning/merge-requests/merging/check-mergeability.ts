import { sql } from 'kysely';
import { ANONYMOUS } from '#authentication/caller.ts';
import type { Database, Reader, Transaction } from '#database/database.ts';
import type { RunUnitOfWork, UnitOfWork } from '#events/unit-of-work.ts';
import type { Git } from '#git/git.ts';
import { GitError, runOrNullIfOverLimit } from '#git/process/failures.ts';
import { defineJob, enqueue } from '#jobs/job.ts';
import { hasPendingRefUpdate } from '#repositories/ref-updates/intents.ts';
import type { VersionedRepository } from '#repositories/repository.ts';
import type { RefServices } from '#repositories/services.ts';
import { addMilliseconds } from '#runtime/clock.ts';
import { updateHeads } from '../heads/update-heads.ts';
import { summarizeVersion } from '../versions.ts';
import { compareBranches } from './branch-comparison.ts';
import { toMergeStatus } from './mergeability.ts';

// After branches have moved, a background job updates the columns that lists show: whether merge requests can be merged, and the
// summary of each version.

/** Maximum number of merge requests that one job checks, newest first. Another job checks the rest. */
const BATCH_SIZE = 100;

/** Maximum number of versions of one merge request that are summarized, newest first. */
const MAX_VERSIONS = 20;

interface CheckBatch {
  readonly projectId: number;
  /** Id of a merge request: only lower ids are checked, because earlier jobs have checked the others. */
  readonly before?: number;
}

/** Checks a batch of unchecked merge requests of a project and stores the results. */
export const checkMergeRequests = defineJob({
  kind: 'check_merge_requests',
  async handle({ database, git, runUnitOfWork }: RefServices, { projectId, before }: CheckBatch) {
    const db = database.reader;
    const project = await findRepository(db, projectId);
    if (project === undefined) return;
    const batch = await listUnchecked(db, projectId, before);
    const failures: unknown[] = [];
    for (const mergeRequest of batch) {
      try {
        const checkResult = await checkMergeRequest(db, git, project, mergeRequest);
        // If refs have moved meanwhile, `storeResult` has enqueued another job.
        if (!(await storeResult(runUnitOfWork, project, mergeRequest, checkResult))) return;
      } catch (error) {
        if (!isCausedByObjects(error)) throw error;
        failures.push(error);
      }
    }
    if (batch.length === BATCH_SIZE) await enqueueNextBatch(database, projectId, batch.at(-1)!.id);
    // Reports the first failure to the operator after all the others were checked.
    if (failures.length > 0) throw failures[0];
  },
});

/** Checks one merge request. If git exceeds its limits, the result stays unknown until a branch moves again. */
async function checkMergeRequest(
  db: Reader,
  git: Git,
  project: CheckedRepository,
  mergeRequest: UncheckedMergeRequest,
) {
  const branches = await runOrNullIfOverLimit(() => compareBranches(git, project, mergeRequest));
  return {
    check: branches?.check ?? null,
    source: branches?.source ?? null,
    versions: await summarizeVersions(db, git, project, mergeRequest),
  };
}

/**
 * Returns whether the git objects of one merge request cause the failure, so that the others can still be checked. A stopped or unavailable
 * git fails for all merge requests.
 */
function isCausedByObjects(error: unknown): boolean {
  return error instanceof GitError && !['stopped', 'unavailable'].includes(error.failure.kind);
}

/** Delay that combines a burst of pushes into one check. */
const DEBOUNCE_MS = 1_000;

/** Enqueues a check of the project's merge requests, unless one is already queued. */
export function enqueueMergeCheck(tx: Transaction, projectId: number): Promise<void> {
  return enqueue(
    tx,
    checkMergeRequests,
    { projectId },
    { key: `${projectId}`, runAt: addMilliseconds(tx.now, DEBOUNCE_MS) },
  );
}

function enqueueNextBatch(database: Database, projectId: number, id: number): Promise<void> {
  const key = `${projectId} before ${id}`;
  return database.transaction((tx) => enqueue(tx, checkMergeRequests, { projectId, before: id }, { key }));
}

type CheckedRepository = VersionedRepository & { readonly project_id: number };

/** index: repositories primary key */
function findRepository(db: Reader, projectId: number): Promise<CheckedRepository | undefined> {
  return db
    .selectFrom('repositories')
    .select(['project_id', 'storage', 'disk_path', 'default_branch', 'ref_state_version'])
    .where('project_id', '=', projectId)
    .executeTakeFirst();
}

/** Lists the unchecked open merge requests, newest first. index: merge_requests_unchecked */
function listUnchecked(db: Reader, projectId: number, before?: number) {
  return db
    .selectFrom('merge_requests')
    .select(['id', 'iid', 'source_branch', 'target_branch', 'head_sha'])
    .where('project_id', '=', projectId)
    .where('state', '=', sql.lit('opened' as const))
    .where('merge_status', '=', sql.lit('unchecked' as const))
    .$if(before !== undefined, (query) => query.where('id', '<', before as number))
    .orderBy('id', 'desc')
    .limit(BATCH_SIZE)
    .execute();
}

type UncheckedMergeRequest = Awaited<ReturnType<typeof listUnchecked>>[number];

/** Summarizes the versions without a summary; none if the target branch does not exist. */
async function summarizeVersions(
  db: Reader,
  git: Git,
  project: CheckedRepository,
  mergeRequest: UncheckedMergeRequest,
) {
  const summaries = [];
  for (const version of await listUnsummarizedVersions(db, mergeRequest.id)) {
    const columns = await summarizeVersion(git, project, mergeRequest, version);
    if (columns !== null) summaries.push({ id: version.id, columns });
  }
  return summaries;
}

/** index: merge_request_versions_by_merge_request */
function listUnsummarizedVersions(db: Reader, id: number) {
  return db
    .selectFrom('merge_request_versions')
    .select(['id', 'base_commit_sha', 'head_commit_sha', 'start_commit_sha'])
    .where('merge_request_id', '=', id)
    .where('state', 'is', null)
    .orderBy('id', 'desc')
    .limit(MAX_VERSIONS)
    .execute();
}

/** Stores the result. Returns false if refs have moved since the check began; the check is then enqueued again. */
function storeResult(
  runUnitOfWork: RunUnitOfWork,
  project: CheckedRepository,
  { id, iid, head_sha }: UncheckedMergeRequest,
  { check, source, versions }: Awaited<ReturnType<typeof checkMergeRequest>>,
): Promise<boolean> {
  const { project_id: projectId } = project;
  return runUnitOfWork(ANONYMOUS, async (uow) => {
    if ((await findRepository(uow, projectId))?.ref_state_version !== project.ref_state_version) {
      await enqueue(uow, checkMergeRequests, { projectId }, { key: `${projectId}` });
      return false;
    }
    if (source !== null && source !== head_sha) {
      // Either a push is in progress, or two pushes were recorded out of order: then nothing else repairs the head.
      if (!(await hasPendingRefUpdate(uow, projectId)))
        await updateHeads(uow, projectId, [{ id, iid, head_sha, head: source }]);
      await enqueueMergeCheck(uow, projectId);
      return true;
    }
    const updatedRow = await uow
      .updateTable('merge_requests')
      .set({ merge_status: toMergeStatus(check), merge_check: check })
      .where('id', '=', id)
      .where('head_sha', '=', head_sha)
      .where('state', '=', 'opened')
      .returning('id')
      .executeTakeFirst();
    if (updatedRow !== undefined && check !== null) await publishConflicts(uow, id, check === 'conflict');
    for (const version of versions) await updateVersionSummary(uow, version);
    return true;
  });
}

/** Stores whether a merge request has conflicts, and publishes an event if they are new. index: merge_requests primary key */
async function publishConflicts(uow: UnitOfWork, id: number, hasConflicts: boolean): Promise<void> {
  const changedRow = await uow
    .updateTable('merge_requests')
    .set({ conflict_notified: hasConflicts })
    .where('id', '=', id)
    .where('conflict_notified', '<>', hasConflicts)
    .returning('id')
    .executeTakeFirst();
  if (changedRow !== undefined && hasConflicts) await uow.publish('merge-conflicts-detected', { mergeRequestId: id });
}

/** index: merge_request_versions primary key */
async function updateVersionSummary(
  tx: Transaction,
  { id, columns }: Awaited<ReturnType<typeof summarizeVersions>>[number],
) {
  await tx.updateTable('merge_request_versions').set(columns).where('id', '=', id).execute();
}
