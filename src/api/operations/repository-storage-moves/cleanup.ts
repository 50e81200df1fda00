import { setTimeout as pause } from 'node:timers/promises';
import type { Transaction } from '#database/database.ts';
import type { MoveState } from '#database/schema.ts';
import { isRepositoryInUse, releaseRepository } from '#git/storage/storage.ts';
import { defineJob, enqueue } from '#jobs/job.ts';
import { syncHead } from '#repositories/branches/default-branch.ts';
import { addMilliseconds } from '#runtime/clock.ts';
import type { MovingServices } from './services.ts';
import { findMoveById, type Move } from './store.ts';
import { deleteSources, getRepositoryPairs } from './transfer.ts';

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
