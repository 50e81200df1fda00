import type { SignedInCaller } from '#authentication/caller.ts';
import { type CurrentAccess, reloadAccess } from '#authorization/current-access.ts';
import type { Reader, TransactionOptions } from '#database/database.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { findSharedMergeBase } from '#git/commits/commit-log.ts';
import type { Git } from '#git/git.ts';
import { readCommit } from '#git/objects/object-reader.ts';
import { findBranchHead } from '#git/refs/revision.ts';
import { getRepository, type LocatedRepository } from '#repositories/repository.ts';
import type { RefServices } from '#repositories/services.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';

/** The commits of a comparison, by their names in the API: heads of the source branch (`head`) and the target branch (`start`), and their merge base. Null if there is none. */
export interface BranchHeads {
  readonly head: string | null;
  readonly start: string | null;
  readonly base: string | null;
}

interface ComparedBranches {
  /** Name of the source branch; null if `head` is used instead of its head. */
  readonly source: string | null;
  /** The head to use if the source branch does not exist. */
  readonly head: string | null;
  readonly target: string;
}

interface BranchHeadsOptions {
  readonly caller: SignedInCaller;
  readonly project: Project;
  /** The branches to read; null if the unit of work does not need their heads. */
  readonly branches: ComparedBranches | null;
  readonly options: TransactionOptions;
}

/** Maximum number of attempts. The last attempt accepts outdated heads; the next push updates the merge request. */
const MAX_ATTEMPTS = 5;

/**
 * Runs a unit of work with the heads of two branches that are still current when it runs. With outdated heads, a push in between would
 * be lost: it does not update a merge request that is not open yet. The unit of work reloads the caller's access, because waiting for
 * git and for the lock may take long.
 */
export async function runWithBranchHeads<T>(
  { database, git, runUnitOfWork }: RefServices,
  { caller, project, branches, options }: BranchHeadsOptions,
  work: (uow: UnitOfWork<SignedInCaller>, access: CurrentAccess, heads: BranchHeads | null) => Promise<T>,
): Promise<T> {
  const runWork = async (uow: UnitOfWork<SignedInCaller>, heads: BranchHeads | null) =>
    work(uow, await reloadAccess(uow, caller, project.id), heads);
  if (branches === null) return runUnitOfWork(caller, (uow) => runWork(uow, null), options);
  for (let attempt = 1; ; attempt++) {
    const version = await findRefStateVersion(database.forRequest().reader, project.id);
    const heads = await readBranchHeads(git, project, branches);
    const result = await runUnitOfWork(
      caller,
      async (uow): Promise<T | Failure<'moved'>> => {
        if (attempt < MAX_ATTEMPTS && (await findRefStateVersion(uow, project.id)) !== version) return fail('moved');
        return runWork(uow, heads);
      },
      options,
    );
    if (!isFailure(result) || result.code !== 'moved') return result as T;
  }
}

/** index: repositories primary key */
async function findRefStateVersion(db: Reader, projectId: number): Promise<number | undefined> {
  const repositoryRow = await db
    .selectFrom('repositories')
    .select('ref_state_version')
    .where('project_id', '=', projectId)
    .executeTakeFirst();
  return repositoryRow?.ref_state_version;
}

async function readBranchHeads(
  git: Git,
  project: LocatedRepository,
  { source, head: fallbackHead, target }: ComparedBranches,
): Promise<BranchHeads> {
  const repository = getRepository(git, project);
  const head = (source === null ? null : await findBranchHead(repository, source)) ?? fallbackHead;
  const start = await findBranchHead(repository, target);
  // The head of an imported merge request may not exist.
  const bothExist = head !== null && start !== null && (await readCommit(git, repository, head)) !== null;
  return { head, start, base: bothExist ? await findSharedMergeBase(git, repository, start, head) : null };
}
