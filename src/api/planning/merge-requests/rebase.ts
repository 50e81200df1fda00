import { sql } from 'kysely';
import { isSignedIn, type SignedInCaller } from '#authentication/caller.ts';
import { AccessRevoked } from '#authorization/current-access.ts';
import { findMergeRequest, findMergeRequests, type MergeRequest } from '#authorization/merge-requests.ts';
import { mayForcePush } from '#authorization/protected-branches/branch-rules.ts';
import { listProtectionRules } from '#authorization/protected-branches/protected-branches.ts';
import type { Columns, Reader, Transaction } from '#database/database.ts';
import { isInIds } from '#database/dialect.ts';
import { findProject, type Project } from '#domain/namespaces/projects.ts';
import { findSharedMergeBase } from '#git/commits/commit-log.ts';
import { rebase } from '#git/commits/rebase.ts';
import { runOrNullIfOverLimit } from '#git/process/failures.ts';
import { HEADS } from '#git/ref-names.ts';
import { findBranchHead } from '#git/refs/revision.ts';
import { defineJob, enqueue, type JobRun } from '#jobs/job.ts';
import { updateRepositoryRefs } from '#repositories/ref-updates/move-refs.ts';
import { commitPermission, mayCommitTo } from '#repositories/ref-updates/ref-permissions.ts';
import { loadActor } from '#repositories/ref-updates/ref-update-actor.ts';
import { getRepository } from '#repositories/repository.ts';
import type { RefServices } from '#repositories/services.ts';
import { addMilliseconds } from '#runtime/clock.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { updateMergeError } from './store.ts';

/** Message for a failed rebase. */
export const REBASE_FAILED = 'Rebase failed: Rebase locally, resolve all conflicts, then push the branch.';

/**
 * Rebases the source branch onto the target branch, as the user who requested it. The branch moves once, from its head at the time of the
 * request to the last rebased commit, so a crash leaves it unchanged or fully rebased. Any move deletes the request (`updateHeads`), so a
 * retry finds nothing to do.
 */
export const rebaseJob = defineJob({
  kind: 'rebase_merge_request',
  maxAttempts: 4,
  isLongRunning: true,
  async handle(services: RefServices, { mergeRequestId: id }: { readonly mergeRequestId: number }, run) {
    const { database } = services;
    const request = await database.transaction((tx) => leaseRebase(tx, id));
    if (request === undefined) return;
    try {
      const isRebased = await rebaseOnTarget(services, id, request, run);
      await database.transaction((tx) => finishRebase(tx, id, request.head_sha, isRebased));
    } catch (error) {
      // Only lost permissions are final; the job queue retries after other errors.
      if (run.signal.aborted || !(error instanceof AccessRevoked)) throw error;
      await database.transaction((tx) => finishRebase(tx, id, request.head_sha, false));
    }
  },
  async onDead(tx, { mergeRequestId: id }) {
    const request = await leaseRebase(tx, id);
    if (request !== undefined) await finishRebase(tx, id, request.head_sha, false);
  },
});

type RequestedRebase = Columns<'merge_request_rebases', 'user_id' | 'head_sha' | 'skip_ci'>;

/** Rebases the branch. Returns false if that is not possible, true also if nothing is left to do. */
async function rebaseOnTarget(
  services: RefServices,
  id: number,
  request: RequestedRebase,
  { signal }: JobRun,
): Promise<boolean> {
  const { database, git } = services;
  const db = database.forRequest().reader;
  const caller = await loadActor(db, request.user_id);
  const [mergeRequest] = await findMergeRequests(db, caller, [id]);
  if (mergeRequest?.state !== 'opened') return true;
  const project = await findProject(db, caller, String(mergeRequest.project_id));
  if (project === null || !isSignedIn(caller)) return false;
  const commits = await findRebaseCommits(services, project, mergeRequest, request.head_sha);
  if (commits === null) return false;
  const { onto, base } = commits;
  // The branch is already up to date.
  if (base === onto) return true;
  const { name, email } = caller.user;
  const repository = getRepository(git, project);
  const rebaseResult = await rebase(git, repository, {
    onto,
    head: request.head_sha,
    committer: { name, email },
    checkCancelled: () => signal.throwIfAborted(),
  });
  if (typeof rebaseResult === 'string') return false;
  return moveSourceBranch(services, caller, project, mergeRequest, { ...request, tip: rebaseResult.tip });
}

/** Returns the head of the target branch (`onto`) and the merge base, or null if the source branch moved or there is no merge base. */
async function findRebaseCommits({ git }: RefServices, project: Project, mergeRequest: MergeRequest, head: string) {
  const { source_branch, target_branch } = mergeRequest;
  const repository = getRepository(git, project);
  if ((await findBranchHead(repository, source_branch)) !== head) return null;
  const onto = await findBranchHead(repository, target_branch);
  const base =
    onto === null ? null : await runOrNullIfOverLimit(() => findSharedMergeBase(git, repository, onto, head));
  return onto === null || base === null ? null : { onto, base };
}

async function moveSourceBranch(
  services: RefServices,
  caller: SignedInCaller,
  project: Project,
  { source_branch: branch }: MergeRequest,
  { head_sha: oldId, tip: newId, skip_ci }: RequestedRebase & { readonly tip: string },
): Promise<boolean> {
  const moveFailure = await updateRepositoryRefs(services, {
    project,
    actor: { caller, permission: commitPermission({ branch, forced: true }) },
    changes: [{ ref: HEADS + branch, oldId, newId }],
    ...(skip_ci && { options: ['ci.skip'] }),
  });
  return moveFailure === undefined;
}

/** Deletes the request and, if the rebase failed, stores an error. Stores none if the request was already deleted. */
async function finishRebase(tx: Transaction, id: number, head: string, isRebased: boolean): Promise<void> {
  if ((await deleteRebase(tx, id, head)) && !isRebased) await updateMergeError(tx, id, REBASE_FAILED);
}

/** Enqueues a rebase of this head. Returns false if a rebase is in progress. */
export async function scheduleRebase(tx: Transaction, rebase: NewRebase): Promise<boolean> {
  if (!(await insertRebase(tx, rebase))) return false;
  await enqueue(tx, rebaseJob, { mergeRequestId: rebase.id }, { key: `${rebase.id}` });
  return true;
}

type RebaseFailure = 'sourceBranchMissing' | 'pushForbidden' | 'forcePushForbidden' | 'locked' | 'readOnly';

/**
 * Enqueues a rebase of the current source branch. If several requests run at the same time, one succeeds and the others
 * fail with `locked`.
 */
export async function startRebase(
  { database, git, runUnitOfWork }: RefServices,
  caller: SignedInCaller,
  project: Project,
  { id, iid, source_branch }: MergeRequest,
  skipCi: boolean,
): Promise<{ readonly rebase_in_progress: true } | Failure<RebaseFailure>> {
  const { reader } = database.forRequest();
  const head = await findBranchHead(getRepository(git, project), source_branch);
  if (head === null) return fail('sourceBranchMissing');
  if (!(await mayCommitTo(reader, caller, project, source_branch))) return fail('pushForbidden');
  if (!mayForcePush(await listProtectionRules(reader, project.id), source_branch)) return fail('forcePushForbidden');
  if (project.read_only) return fail('readOnly');
  return runUnitOfWork(caller, async (uow) => {
    const currentMergeRequest = await findMergeRequest(uow, caller, project.id, iid);
    // A merge request that is not open fails like one with a rebase in progress.
    if (currentMergeRequest?.state !== 'opened') return fail('locked');
    const isScheduled = await scheduleRebase(uow, { id, userId: caller.user.id, head, skipCi });
    return isScheduled ? { rebase_in_progress: true } : fail('locked');
  });
}

// Rows of requested rebases. Each has a lease: when it ends, the rebase counts as abandoned, and another can be requested.

/** Duration of a lease: longer than one attempt and the delay before the next. */
const LEASE_MS = 15 * 60_000;

/** A requested rebase. */
interface NewRebase {
  /** Id of the merge request. */
  readonly id: number;
  readonly userId: number;
  readonly head: string;
  readonly skipCi: boolean;
}

/** Inserts a request. Returns false if a rebase is in progress. index: merge_request_rebases primary key */
async function insertRebase(tx: Transaction, { id, userId, head, skipCi }: NewRebase): Promise<boolean> {
  const columns = { user_id: userId, head_sha: head, skip_ci: skipCi, lease_until: addMilliseconds(tx.now, LEASE_MS) };
  const insertedRow = await tx
    .insertInto('merge_request_rebases')
    .values({ merge_request_id: id, ...columns })
    .onConflict((conflict) =>
      conflict.column('merge_request_id').doUpdateSet(columns).where('merge_request_rebases.lease_until', '<=', tx.now),
    )
    .returning('merge_request_id')
    .executeTakeFirst();
  return insertedRow !== undefined;
}

/** Renews the lease and returns the request, or undefined if there is none. index: merge_request_rebases primary key */
function leaseRebase(tx: Transaction, id: number) {
  return tx
    .updateTable('merge_request_rebases')
    .set({ lease_until: addMilliseconds(tx.now, LEASE_MS) })
    .where('merge_request_id', '=', id)
    .returning(['user_id', 'head_sha', 'skip_ci'])
    .executeTakeFirst();
}

/** Deletes the request for this head. Returns whether it existed. index: merge_request_rebases primary key */
async function deleteRebase(tx: Transaction, id: number, head: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('merge_request_rebases')
    .where('merge_request_id', '=', id)
    .where('head_sha', '=', head)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Deletes the requests of merge requests whose head has changed. index: merge_request_rebases primary key */
export async function deleteRebases(tx: Transaction, ids: readonly number[]): Promise<void> {
  await tx
    .deleteFrom('merge_request_rebases')
    .where(isInIds(tx, sql<number>`merge_request_id`, ids))
    .execute();
}

/** Returns the ids with a rebase in progress. index: merge_request_rebases primary key */
export async function findActiveRebases(db: Reader, ids: readonly number[], now: string): Promise<ReadonlySet<number>> {
  const rows = await db
    .selectFrom('merge_request_rebases')
    .select('merge_request_id')
    .where('merge_request_id', 'in', ids)
    .where('lease_until', '>', now)
    .execute();
  return new Set(rows.map(({ merge_request_id }) => merge_request_id));
}
