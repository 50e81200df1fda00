import type { SignedInCaller } from '#authentication/caller.ts';
import { findMergeRequest, type MergeRequest } from '#authorization/merge-requests.ts';
import { mayForcePush } from '#authorization/protected-branches/branch-rules.ts';
import { listProtectionRules } from '#authorization/protected-branches/protected-branches.ts';
import type { Transaction } from '#database/database.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { findBranchHead } from '#git/refs/revision.ts';
import { enqueue } from '#jobs/job.ts';
import { mayCommitTo } from '#repositories/ref-updates/ref-permissions.ts';
import { getRepository } from '#repositories/repository.ts';
import type { RefServices } from '#repositories/services.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { rebaseJob } from './job.ts';
import { insertRebase, type NewRebase } from './store.ts';

/** Enqueues a rebase of this head. Returns false if a rebase is in progress. */
export async function scheduleRebase(tx: Transaction, rebase: NewRebase): Promise<boolean> {
  if (!(await insertRebase(tx, rebase))) return false;
  await enqueue(tx, rebaseJob, { mergeRequestId: rebase.id }, { key: `${rebase.id}` });
  return true;
}

type RebaseFailure = 'sourceBranchMissing' | 'pushForbidden' | 'forcePushForbidden' | 'locked' | 'readOnly';

/** Enqueues a rebase of the current source branch. Of concurrent requests, one succeeds and the others fail with `locked`. */
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
