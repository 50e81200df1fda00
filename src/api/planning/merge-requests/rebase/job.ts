import { isSignedIn, type SignedInCaller } from '#authentication/caller.ts';
import { AccessRevoked } from '#authorization/current-access.ts';
import { findMergeRequests, type MergeRequest } from '#authorization/merge-requests.ts';
import type { Columns, Transaction } from '#database/database.ts';
import { findProject, type Project } from '#domain/namespaces/projects.ts';
import { findSharedMergeBase } from '#git/commits/commit-log.ts';
import { rebase } from '#git/commits/rebase.ts';
import { runOrNullIfOverLimit } from '#git/process/failures.ts';
import { HEADS } from '#git/ref-names.ts';
import { findBranchHead } from '#git/refs/revision.ts';
import { defineJob, type JobRun } from '#jobs/job.ts';
import { updateRepositoryRefs } from '#repositories/ref-updates/move-refs.ts';
import { commitPermission } from '#repositories/ref-updates/ref-permissions.ts';
import { loadActor } from '#repositories/ref-updates/ref-update-actor.ts';
import { getRepository } from '#repositories/repository.ts';
import type { RefServices } from '#repositories/services.ts';
import { updateMergeError } from '../store.ts';
import { deleteRebase, leaseRebase } from './store.ts';

/** Message for a failed rebase. */
export const REBASE_FAILED = 'Rebase failed: Rebase locally, resolve all conflicts, then push the branch.';

/**
 * Rebases the source branch onto the target branch, as the user who requested it. The branch moves once, from the requested head to the
 * last rebased commit, so a crash leaves it unchanged or fully rebased. A new head deletes the request (`updateHeads`), so a retry
 * finds nothing to do.
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
  const checkAborted = () => signal.throwIfAborted();
  const repository = getRepository(git, project);
  const rebaseResult = await rebase(git, repository, {
    onto,
    head: request.head_sha,
    committer: { name, email },
    checkCancelled: checkAborted,
  });
  if (typeof rebaseResult === 'string') return false;
  return moveSourceBranch(services, caller, project, mergeRequest, { ...request, tip: rebaseResult.tip });
}

/** Returns the target head and the merge base, or null if the source branch moved or there is no merge base. */
async function findRebaseCommits({ git }: RefServices, project: Project, mergeRequest: MergeRequest, head: string) {
  const { source_branch, target_branch } = mergeRequest;
  const repository = getRepository(git, project);
  if ((await findBranchHead(repository, source_branch)) !== head) return null;
  const onto = await findBranchHead(repository, target_branch);
  const base =
    onto === null ? null : await runOrNullIfOverLimit(() => findSharedMergeBase(git, repository, onto, head));
  return onto === null || base === null ? null : { onto, base };
}

interface FinishedRebase extends RequestedRebase {
  readonly tip: string;
}

async function moveSourceBranch(
  services: RefServices,
  caller: SignedInCaller,
  project: Project,
  { source_branch: branch }: MergeRequest,
  { head_sha: oldId, tip: newId, skip_ci }: FinishedRebase,
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
