import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Transaction } from '#database/database.ts';
import type { MoveState } from '#database/schema.ts';
import { type Git, getRepositoryAt } from '#git/git.ts';
import type { Repository } from '#git/repository.ts';
import { deleteRepository, isRepositoryInUse, releaseRepository, repositoryExists } from '#git/storage/storage.ts';
import { computeRepositoryChecksum } from '#git/transfer/checksum.ts';
import { type CopiedFiles, copyRepository, isCopyIntact, moveIntoPlace } from '#git/transfer/copy-repository.ts';
import type { Services } from '#http/services.ts';
import { defineJob, enqueue } from '#jobs/job.ts';
import { syncHead } from '#repositories/branches/default-branch.ts';
import { addMilliseconds } from '#runtime/clock.ts';
import { findMoveById, type Move, parseDiskPaths } from './store.ts';

// Files of a move: copied to a draft directory, renamed to their final path, verified, and deleted when obsolete.

/** Directory of incomplete copies in the destination storage. */
const DRAFTS_DIRECTORY = '+moves';

interface RepositoryPair {
  readonly source: Repository;
  readonly copy: Repository;
}

/** Returns each repository of the move with its copy. */
function getRepositoryPairs(git: Git, move: Move): RepositoryPair[] {
  return parseDiskPaths(move).map(({ from, to }) => ({
    source: getRepositoryAt(git, move.source_storage, from),
    copy: getRepositoryAt(git, move.destination_storage, to),
  }));
}

interface TransferredRepository extends RepositoryPair {
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
async function deleteSources(git: Git, move: Move): Promise<void> {
  for (const { source } of getRepositoryPairs(git, move)) await deleteRepository(git, source);
}

/** Services that moves use. */
export type MovingServices = Pick<Services, 'database' | 'git' | 'clock' | 'log'>;

/**
 * Minimum milliseconds for which the source repositories remain after a move: a request of any process may have read the old
 * location just before the move.
 */
export const SOURCE_RETENTION_MS = 3_000;

/** Maximum milliseconds of waiting for idle Git processes to end. */
const MAX_WAIT_MS = 2_000;
const POLL_INTERVAL_MS = 20;

/** Milliseconds after which no request from before the move can create the old directory again. */
const SECOND_RUN_DELAY_MS = 24 * 3_600_000;

interface CleanupPayload {
  /** Row of the move when it was replicated. The row may be deleted since, together with its container. */
  readonly move: Move;
  /** Whether this is the second run, for directories that late requests have created at the old path. */
  readonly again?: true;
}

/** Deletes the source repositories when they are no longer in use (contract/operations.md §2, "The move", 7). */
export const deleteMovedSources = defineJob({
  kind: 'clean_up_storage_move',
  maxAttempts: 1_000,
  async handle(services: MovingServices, { move, again }: CleanupPayload): Promise<void> {
    const { database, git, log } = services;
    // The default branch may have changed in the row after HEAD was copied.
    if (move.project_id !== null) await syncHead(database.reader, git, move.project_id);
    try {
      if (await isSourceInUse(services, move))
        return database.transaction((tx) => enqueueCleanup(tx, { move, ...(again && { again }) }, SOURCE_RETENTION_MS));
      await deleteSources(git, move);
    } catch (error) {
      log.warn({ err: error, move: move.id }, 'Deleting the source repositories of a storage move failed');
      return endMove(services, move, 'cleanup failed');
    }
    await endMove(services, move, 'finished', again);
  },
});

function enqueueCleanup(tx: Transaction, payload: CleanupPayload, delayMs: number): Promise<void> {
  return enqueue(tx, deleteMovedSources, payload, { runAt: addMilliseconds(tx.now, delayMs) });
}

/** Returns whether clones that started before the move still read the source repositories. */
async function isSourceInUse({ git }: MovingServices, move: Move): Promise<boolean> {
  const sources = getRepositoryPairs(git, move).map(({ source }) => source);
  for (const source of sources) releaseRepository(git, source);
  const isUsed = () => sources.some((source) => isRepositoryInUse(git, source));
  for (let waitedMs = 0; isUsed() && waitedMs < MAX_WAIT_MS; waitedMs += POLL_INTERVAL_MS)
    await pause(POLL_INTERVAL_MS);
  return isUsed();
}

/** Sets the final state of a replicated move. After the first run, schedules the second one. */
async function endMove({ database }: MovingServices, move: Move, state: MoveState, isSecondRun?: true): Promise<void> {
  await database.transaction(async (tx) => {
    const currentMove = await findMoveById(tx, move.id);
    if (currentMove?.state === 'replicated') {
      await tx.updateTable('storage_moves').set({ state, updated_at: tx.now }).where('id', '=', move.id).execute();
    }
    if (state === 'finished' && !isSecondRun) {
      await enqueueCleanup(tx, { move, again: true }, SECOND_RUN_DELAY_MS);
    }
  });
}
