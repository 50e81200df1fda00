import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Git, getRepositoryAt } from '#git/git.ts';
import type { Repository } from '#git/repository.ts';
import { deleteRepository, repositoryExists } from '#git/storage/storage.ts';
import { computeRepositoryChecksum } from '#git/transfer/checksum.ts';
import { type CopiedFiles, copyRepository, isCopyIntact, moveIntoPlace } from '#git/transfer/copy-repository.ts';
import { type Move, parseDiskPaths } from './store.ts';

/** Files of a move: copied to a draft directory, renamed to their final path, verified, and deleted when obsolete. */

/** Directory of incomplete copies in the destination storage. */
const DRAFTS_DIRECTORY = '+moves';

interface RepositoryPair {
  readonly source: Repository;
  readonly copy: Repository;
}

/** Returns each repository of the move with its copy. */
export function getRepositoryPairs(git: Git, move: Move): RepositoryPair[] {
  return parseDiskPaths(move).map(({ from, to }) => ({
    source: getRepositoryAt(git, move.source_storage, from),
    copy: getRepositoryAt(git, move.destination_storage, to),
  }));
}

export interface TransferredRepository extends RepositoryPair {
  readonly copied: CopiedFiles;
}

/**
 * Copies each existing repository to its final path (contract/operations.md §2, "The move", 4). Throws if one of
 * `nonEmptyPaths` does not exist: its storage may be unavailable.
 */
export async function transferRepositories(
  git: Git,
  move: Move,
  { nonEmptyPaths, signal }: { readonly nonEmptyPaths: readonly string[]; readonly signal: AbortSignal },
): Promise<TransferredRepository[]> {
  const draftsDirectory = join(git.storages[move.destination_storage]!, DRAFTS_DIRECTORY, String(move.id));
  const transferredRepositories: TransferredRepository[] = [];
  const diskPaths = parseDiskPaths(move);
  for (const [index, pair] of getRepositoryPairs(git, move).entries()) {
    // An empty repository may have no directory. A path in `nonEmptyPaths` is never skipped: copying a missing one throws.
    if (!nonEmptyPaths.includes(diskPaths[index]!.from) && !(await repositoryExists(pair.source))) continue;
    const draft = { directory: join(draftsDirectory, `${index}.git`) };
    const copiedFiles = await copyRepository(git, pair.source, draft, signal);
    await moveIntoPlace(draft, pair.copy);
    transferredRepositories.push({ ...pair, copied: copiedFiles });
  }
  await rm(draftsDirectory, { recursive: true, force: true });
  return transferredRepositories;
}

/** Verifies the copies. Returns the checksums of the first copy that differs from its source, or null. */
export async function verifyCopies(
  git: Git,
  transferredRepositories: readonly TransferredRepository[],
  signal: AbortSignal,
): Promise<{ readonly from: string; readonly to: string } | null> {
  for (const transferredRepository of transferredRepositories) {
    // Equal refs and an equal HEAD file imply equal checksums.
    if (await isCopyIntact(git, transferredRepository, signal)) continue;
    const repositories = [transferredRepository.source, transferredRepository.copy];
    const [from, to] = await Promise.all(repositories.map((repository) => computeRepositoryChecksum(git, repository)));
    return { from: from!, to: to! };
  }
  return null;
}

/** Deletes the copies of the move, and incomplete copies of earlier moves. */
export async function deleteCopies(git: Git, move: Move): Promise<void> {
  for (const { copy } of getRepositoryPairs(git, move)) await deleteRepository(git, copy);
  const draftsDirectory = join(git.storages[move.destination_storage]!, DRAFTS_DIRECTORY);
  const leftovers = await readdir(draftsDirectory).catch(() => []);
  for (const name of leftovers) await rm(join(draftsDirectory, name), { recursive: true, force: true });
}

/** Deletes the source repositories. */
export async function deleteSources(git: Git, move: Move): Promise<void> {
  for (const { source } of getRepositoryPairs(git, move)) await deleteRepository(git, source);
}
