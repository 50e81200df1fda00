import { isSignedIn, type SignedInCaller } from '#authentication/caller.ts';
import { AccessRevoked } from '#authorization/current-access.ts';
import { findMergeRequests, type MergeRequest } from '#authorization/merge-requests.ts';
import type { Transaction } from '#database/database.ts';
import { findProject, type Project } from '#domain/namespaces/projects.ts';
import { partingOf } from '#git/commits/commits-between.ts';
import { rebase } from '#git/commits/rebase.ts';
import { unlessOverLimit } from '#git/process/failures.ts';
import { HEADS } from '#git/ref-names.ts';
import { branchTip } from '#git/refs/revision.ts';
import { defineJob, type JobRun } from '#jobs/job.ts';
import { moveRefs } from '#repositories/ref-updates/move-refs.ts';
import { toCommit } from '#repositories/ref-updates/ref-permissions.ts';
import { actorOf } from '#repositories/ref-updates/ref-update-actor.ts';
import { repositoryOf } from '#repositories/repository.ts';
import type { RefServices } from '#repositories/services.ts';
import { tellMergeError } from '../store.ts';
import { endRebase, takeRebase } from './store.ts';

/** What is told of every rebase that has come to nothing. */
export const REBASE_FAILED = 'Rebase failed: Rebase locally, resolve all conflicts, then push the branch.';

/**
 * Brings what a merge request has on top of its target branch, in the name of who has asked for it. The branch moves once, from
 * the head that he has seen to the last of the new commits: whenever a process dies, it is where it was or wholly rebased. Another
 * head is the end of it (`followHeads`), so that whoever begins anew finds nothing to do when it is done.
 */
export const rebaseMergeRequest = defineJob({
  kind: 'rebase_merge_request',
  maxAttempts: 4,
  long: true,
  async handle(services: RefServices, { mergeRequestId: id }: { readonly mergeRequestId: number }, run) {
    const { database } = services;
    const asked = await database.transaction((tx) => takeRebase(tx, id));
    if (asked === undefined) return;
    try {
      const isDone = await rebaseOnto(services, id, asked, run);
      await database.transaction((tx) => end(tx, id, asked.head_sha, isDone));
    } catch (error) {
      if (run.signal.aborted || !(error instanceof AccessRevoked)) throw error;
      await database.transaction((tx) => end(tx, id, asked.head_sha, false));
    }
  },
  async givenUp(tx, { mergeRequestId: id }) {
    const asked = await takeRebase(tx, id);
    if (asked !== undefined) await end(tx, id, asked.head_sha, false);
  },
});

interface Asked {
  readonly user_id: number;
  readonly head_sha: string;
  readonly skip_ci: boolean;
}

/** False: it can't be rebased. */
async function rebaseOnto(services: RefServices, id: number, asked: Asked, { signal }: JobRun): Promise<boolean> {
  const { database, git } = services;
  const db = database.current().reader;
  const caller = await actorOf(db, asked.user_id);
  const [mergeRequest] = await findMergeRequests(db, caller, [id]);
  if (mergeRequest?.state !== 'opened') return true;
  const project = await findProject(db, caller, String(mergeRequest.project_id));
  if (project === null || !isSignedIn(caller)) return false;
  const parted = await partedAt(services, project, mergeRequest, asked.head_sha);
  if (parted === null) return false;
  const { onto, base } = parted;
  // It has all that the target branch has.
  if (base === onto) return true;
  const { name, email } = caller.user;
  const goOn = () => signal.throwIfAborted();
  const repository = repositoryOf(git, project);
  const rebased = await rebase(git, repository, { onto, head: asked.head_sha, committer: { name, email }, goOn });
  if (typeof rebased === 'string') return false;
  return moveSource(services, caller, project, mergeRequest, { ...asked, tip: rebased.tip });
}

/** The tip of the target branch, and where the head has left it; null: the source branch has moved, or they share nothing. */
async function partedAt({ git }: RefServices, project: Project, mergeRequest: MergeRequest, head: string) {
  const { source_branch, target_branch } = mergeRequest;
  const repository = repositoryOf(git, project);
  if ((await branchTip(repository, source_branch)) !== head) return null;
  const onto = await branchTip(repository, target_branch);
  const base = onto === null ? null : await unlessOverLimit(() => partingOf(git, repository, onto, head));
  return onto === null || base === null ? null : { onto, base };
}

interface Moving extends Asked {
  readonly tip: string;
}

async function moveSource(
  services: RefServices,
  caller: SignedInCaller,
  project: Project,
  { source_branch: branch }: MergeRequest,
  { head_sha: oldId, tip: newId, skip_ci }: Moving,
): Promise<boolean> {
  const refusal = await moveRefs(services, {
    project,
    by: { caller, may: toCommit({ branch, forced: true }) },
    changes: [{ ref: HEADS + branch, oldId, newId }],
    ...(skip_ci && { options: ['ci.skip'] }),
  });
  return refusal === undefined;
}

/** What has ended already, by a push or by who has taken it over, has not failed. */
async function end(tx: Transaction, id: number, head: string, isDone: boolean): Promise<void> {
  if ((await endRebase(tx, id, head)) && !isDone) await tellMergeError(tx, id, REBASE_FAILED);
}
