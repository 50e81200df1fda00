import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Git, repositoryAt } from '#git/git.ts';
import type { Repository } from '#git/repository.ts';
import { deleteRepository, repositoryExists } from '#git/storage/storage.ts';
import { computeRepositoryChecksum } from '#git/transfer/checksum.ts';
import { type CopiedFiles, copyRepository, isCopyIntact, moveIntoPlace } from '#git/transfer/copy-repository.ts';
import { type Move, repositoriesOf } from './store.ts';

/** The files of a move: copied beside their place, put there, verified, and removed where they are not wanted. */

/** Where copies are made, in the storage that they are for. */
const DRAFTS = '+moves';

interface Pair {
  readonly source: Repository;
  readonly copy: Repository;
}

/** Each repository before and after. */
export function pairsOf(git: Git, move: Move): Pair[] {
  return repositoriesOf(move).map(({ from, to }) => ({
    source: repositoryAt(git, move.source_storage, from),
    copy: repositoryAt(git, move.destination_storage, to),
  }));
}

export interface Transferred extends Pair {
  readonly copied: CopiedFiles;
}

/**
 * Copies each repository that is there and puts it in its place (contract/operations.md §2, "The move", 4). Of one that was
 * `writtenTo` it is an error that it isn't there: its storage may be out of reach.
 */
export async function transfer(
  git: Git,
  move: Move,
  { writtenTo, signal }: { readonly writtenTo: readonly string[]; readonly signal: AbortSignal },
): Promise<Transferred[]> {
  const drafts = join(git.storages[move.destination_storage]!, DRAFTS, String(move.id));
  const transferred: Transferred[] = [];
  const places = repositoriesOf(move);
  for (const [at, pair] of pairsOf(git, move).entries()) {
    // One into which nothing was ever written has no directory.
    if (!writtenTo.includes(places[at]!.from) && !(await repositoryExists(pair.source))) continue;
    const draft = { directory: join(drafts, `${at}.git`) };
    const copied = await copyRepository(git, pair.source, draft, signal);
    await moveIntoPlace(draft, pair.copy);
    transferred.push({ ...pair, copied });
  }
  await rm(drafts, { recursive: true, force: true });
  return transferred;
}

/** What a copy's refs add up to, and should: null when all copies are sound. */
export async function verify(
  git: Git,
  transferred: readonly Transferred[],
  signal: AbortSignal,
): Promise<{ readonly from: string; readonly to: string } | null> {
  for (const one of transferred) {
    // With the same refs of every name, and the same file HEAD, the checksums are the same.
    if (await isCopyIntact(git, one, signal)) continue;
    const [from, to] = await Promise.all([one.source, one.copy].map((each) => computeRepositoryChecksum(git, each)));
    return { from: from!, to: to! };
  }
  return null;
}

/** Removes whatever there is of the copies, and what other moves that are under way no more have left half done. */
export async function removeCopies(git: Git, move: Move): Promise<void> {
  for (const { copy } of pairsOf(git, move)) await deleteRepository(git, copy);
  const drafts = join(git.storages[move.destination_storage]!, DRAFTS);
  const left = await readdir(drafts).catch(() => []);
  for (const name of left) await rm(join(drafts, name), { recursive: true, force: true });
}

/** Removes the repositories where they were. */
export async function removeSources(git: Git, move: Move): Promise<void> {
  for (const { source } of pairsOf(git, move)) await deleteRepository(git, source);
}
