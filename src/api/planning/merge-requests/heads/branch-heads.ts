import type { SignedInCaller } from '#authentication/caller.ts';
import { type Standing, standingOf } from '#authorization/current-access.ts';
import type { Reader, TransactionOptions } from '#database/database.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { partingOf } from '#git/commits/commits-between.ts';
import type { Git } from '#git/git.ts';
import { readCommit } from '#git/objects/object-reader.ts';
import { branchTip } from '#git/refs/revision.ts';
import { type Placed, repositoryOf } from '#repositories/repository.ts';
import type { RefServices } from '#repositories/services.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';

/** The head and the tip of the target branch at this moment, and where they parted; null: there is none. */
export interface Tips {
  readonly head: string | null;
  readonly start: string | null;
  readonly base: string | null;
}

interface Branches {
  /** Whose tip is the head; null: no branch's is. */
  readonly source: string | null;
  /** The head where that branch is not there. */
  readonly head: string | null;
  readonly target: string;
}

interface RunUnitOfWork {
  readonly caller: SignedInCaller;
  readonly project: Project;
  /** Whose tips are wanted; null: no branch decides anything. */
  readonly branches: Branches | null;
  readonly options: TransactionOptions;
}

/** So often the tips are read anew; a branch that never rests is followed by its next push. */
const MOST_TRIES = 5;

/**
 * Runs an act that goes by the tips of two branches, as they are when it runs: a push that comes between would be heard of by
 * nobody, since what is made or opened by the act was not there yet. What the caller may is asked again of how he stands in
 * the act: he may have waited long for git and for his turn.
 */
export async function actingAtTips<T>(
  { database, git, runUnitOfWork }: RefServices,
  { caller, project, branches, options }: RunUnitOfWork,
  work: (uow: UnitOfWork<SignedInCaller>, standing: Standing, tips: Tips | null) => Promise<T>,
): Promise<T> {
  const workAt = async (uow: UnitOfWork<SignedInCaller>, tips: Tips | null) =>
    work(uow, await standingOf(uow, caller, project.id), tips);
  if (branches === null) return runUnitOfWork(caller, (uow) => workAt(uow, null), options);
  for (let tries = 1; ; tries++) {
    const version = await refVersionOf(database.current().reader, project.id);
    const tips = await tipsOf(git, project, branches);
    const done = await runUnitOfWork(
      caller,
      async (uow): Promise<T | Failure<'moved'>> => {
        if (tries < MOST_TRIES && (await refVersionOf(uow, project.id)) !== version) return fail('moved');
        return workAt(uow, tips);
      },
      options,
    );
    if (!isFailure(done) || done.code !== 'moved') return done as T;
  }
}

/** index: repositories primary key */
async function refVersionOf(db: Reader, projectId: number): Promise<number | undefined> {
  const found = await db
    .selectFrom('repositories')
    .select('ref_state_version')
    .where('project_id', '=', projectId)
    .executeTakeFirst();
  return found?.ref_state_version;
}

async function tipsOf(git: Git, project: Placed, { source, head: kept, target }: Branches): Promise<Tips> {
  const repository = repositoryOf(git, project);
  const head = (source === null ? null : await branchTip(repository, source)) ?? kept;
  const start = await branchTip(repository, target);
  // A head that was imported may not be there.
  const both = head !== null && start !== null && (await readCommit(git, repository, head)) !== null;
  return { head, start, base: both ? await partingOf(git, repository, start, head) : null };
}
