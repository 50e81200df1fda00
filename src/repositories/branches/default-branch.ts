import { setTimeout as pause } from 'node:timers/promises';
import type { Reader, Transaction } from '#database/database.ts';
import type { Git } from '#git/git.ts';
import { HEADS } from '#git/ref-names.ts';
import { findHeadBranch, setHead } from '#git/refs/refs.ts';
import { findBranchHead } from '#git/refs/revision.ts';
import { repositoryExists } from '#git/storage/storage.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { isBeingDeleted } from '../ref-updates/intents.ts';
import { getRepository, type LocatedRepository } from '../repository.ts';
import type { RefServices } from '../services.ts';

// Changes the default branch while branches may be deleted concurrently (contract/repository.md §2): of both exactly
// one succeeds. Git knows whether the branch exists, outside the transaction. The transaction verifies that no deletion
// has come in between, by the ref-state version. Conversely, deletions (`deleteBranchPermission`) and pushes check the
// default branch in the transaction that writes their intent.

/** A branch that existed at this ref-state version. */
interface BranchAtVersion {
  readonly branch: string;
  readonly version: number;
}

/** Milliseconds between attempts. Pending deletions end quickly; those of a dead process end with their lease. */
const PAUSE_MS = 20;
const MAX_ATTEMPTS = 250;

/**
 * Runs `work`, which calls `setDefaultBranch`, and repeats it if refs have moved since the branch was read. Fails with
 * `busy` if refs keep moving for seconds, and with `noSuchBranch`.
 */
export async function retryWhileBranchExists<T>(
  { database, git }: Pick<RefServices, 'database' | 'git'>,
  project: LocatedRepository & { readonly id: number },
  branch: string,
  work: (branch: BranchAtVersion) => Promise<T | Failure<'refsMoved'>>,
): Promise<T | Failure<'noSuchBranch' | 'busy'>> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    // Read the version first: later moves are visible or have increased it.
    const version = await loadRefVersion(database.reader, project.id);
    const head = await findBranchHead(getRepository(git, project), branch);
    if (version === null || head === null) return fail('noSuchBranch', { branch });
    const result = await work({ branch, version });
    if (!isFailure(result) || result.code !== 'refsMoved') return result as T;
    await pause(PAUSE_MS);
  }
  return fail('busy');
}

async function loadRefVersion(db: Reader, projectId: number): Promise<number | null> {
  // index: repositories primary key
  const row = await db
    .selectFrom('repositories')
    .select('ref_state_version')
    .where('project_id', '=', projectId)
    .executeTakeFirst();
  return row?.ref_state_version ?? null;
}

/**
 * Sets the default branch in the row, which is authoritative. Fails with `refsMoved` if the branch may have been
 * deleted since it was read.
 */
export async function setDefaultBranch(
  tx: Transaction,
  projectId: number,
  { branch, version }: BranchAtVersion,
): Promise<undefined | Failure<'refsMoved'>> {
  if (await isBeingDeleted(tx, projectId, HEADS + branch)) return fail('refsMoved');
  // Cached ref data may depend on the default branch: increase the version.
  const updatedRows = await tx
    .updateTable('repositories')
    .set({ default_branch: branch, ref_state_version: version + 1 })
    .where('project_id', '=', projectId)
    .where('ref_state_version', '=', version)
    .returning('project_id')
    .execute();
  return updatedRows.length === 0 ? fail('refsMoved') : undefined;
}

/** Updates the file HEAD, which git clients read, to the default branch of the row. */
export async function syncHead(db: Reader, git: Git, projectId: number): Promise<void> {
  // index: repositories primary key
  const row = await db
    .selectFrom('repositories')
    .select(['storage', 'disk_path', 'default_branch'])
    .where('project_id', '=', projectId)
    .executeTakeFirst();
  if (row === undefined) return;
  const repository = getRepository(git, row);
  if (!(await repositoryExists(repository)) || (await findHeadBranch(repository)) === row.default_branch) return;
  await setHead(git, repository, row.default_branch);
}
