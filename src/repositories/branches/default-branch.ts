import { setTimeout as pause } from 'node:timers/promises';
import type { Reader, Transaction } from '#database/database.ts';
import type { Git } from '#git/git.ts';
import { HEADS } from '#git/ref-names.ts';
import { headTarget, setHead } from '#git/refs/refs.ts';
import { branchTip } from '#git/refs/revision.ts';
import { repositoryExists } from '#git/storage/storage.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { isBeingDeleted } from '../ref-updates/intents.ts';
import { type Placed, repositoryOf } from '../repository.ts';
import type { RefServices } from '../services.ts';

/**
 * A branch is made the default one while nobody deletes it (contract/repository.md §2): of both at once exactly one
 * succeeds. Whether a branch is there only git can say, outside of the transaction that makes it the default one; that no
 * deletion has come in between is what the transaction can say. The other way round a deletion asks for the default branch
 * in the transaction that writes its intent (`toDeleteBranch`), and so does a push.
 */

/** A branch that was there when the refs had this version. */
export interface SeenBranch {
  readonly branch: string;
  readonly version: number;
}

/** A deletion that is under way is over in a moment; one whose process has died, after its lease. */
const PAUSE_MS = 20;
const MOST_TRIES = 250;

/**
 * Runs what makes the branch the default one, which calls `makeDefault`; again when the refs have moved since the branch
 * was seen. `busy`: they have not come to rest for seconds.
 */
export async function whileBranchIsThere<T>(
  { database, git }: Pick<RefServices, 'database' | 'git'>,
  project: Placed & { readonly id: number },
  branch: string,
  work: (seen: SeenBranch) => Promise<T | Failure<'refsMoved'>>,
): Promise<T | Failure<'noSuchBranch' | 'busy'>> {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    // The version first: what has moved since is seen, or has raised it.
    const version = await versionOf(database.reader, project.id);
    const tip = await branchTip(repositoryOf(git, project), branch);
    if (version === null || tip === null) return fail('noSuchBranch', { branch });
    const done = await work({ branch, version });
    if (!isFailure(done) || done.code !== 'refsMoved') return done as T;
    await pause(PAUSE_MS);
  }
  return fail('busy');
}

async function versionOf(db: Reader, projectId: number): Promise<number | null> {
  // index: repositories primary key
  const row = await db
    .selectFrom('repositories')
    .select('ref_state_version')
    .where('project_id', '=', projectId)
    .executeTakeFirst();
  return row?.ref_state_version ?? null;
}

/** Makes it the default branch in the row, which decides; refused when it may have been deleted since it was seen. */
export async function makeDefault(
  tx: Transaction,
  projectId: number,
  { branch, version }: SeenBranch,
): Promise<undefined | Failure<'refsMoved'>> {
  if (await isBeingDeleted(tx, projectId, HEADS + branch)) return fail('refsMoved');
  // What is remembered of refs may say which branch is the default one: a new version.
  const changed = await tx
    .updateTable('repositories')
    .set({ default_branch: branch, ref_state_version: version + 1 })
    .where('project_id', '=', projectId)
    .where('ref_state_version', '=', version)
    .returning('project_id')
    .execute();
  return changed.length === 0 ? fail('refsMoved') : undefined;
}

/** Makes the file HEAD of the repository, which git clients read, name what the row names. */
export async function pointHead(db: Reader, git: Git, projectId: number): Promise<void> {
  // index: repositories primary key
  const row = await db
    .selectFrom('repositories')
    .select(['storage', 'disk_path', 'default_branch'])
    .where('project_id', '=', projectId)
    .executeTakeFirst();
  if (row === undefined) return;
  const repository = repositoryOf(git, row);
  if (!(await repositoryExists(repository)) || (await headTarget(repository)) === row.default_branch) return;
  await setHead(git, repository, row.default_branch);
}
