import { setTimeout as pause } from 'node:timers/promises';
import type { Transaction } from '#database/database.ts';
import type { MoveState } from '#database/tables/storage-moves.ts';
import { isRepositoryInUse, releaseRepository } from '#git/storage/storage.ts';
import { defineJob, enqueue } from '#jobs/job.ts';
import { syncHead } from '#repositories/branches/default-branch.ts';
import { addMilliseconds } from '#runtime/clock.ts';
import type { MovingServices } from './services.ts';
import { type Move, readMove } from './store.ts';
import { pairsOf, removeSources } from './transfer.ts';

/**
 * So long the old repositories stay at least: whoever has read just before where they are finds what he has come for, in
 * whatever process.
 */
export const GRACE_MS = 3_000;

/** So long processes may take to end that nobody needs any more. */
const PATIENCE_MS = 2_000;
const PAUSE_MS = 20;

/** A request may have begun before the move: it makes no directory any more after so long. */
const LAST_LOOK_MS = 24 * 3_600_000;

interface Left {
  /** As it was when it was replicated: its row may be gone, with what was moved. */
  readonly move: Move;
  /** Once more, for what whoever was late has made where there was a repository. */
  readonly again?: true;
}

/** Removes what was moved from where it was, when nobody reads it any more (contract/operations.md §2, "The move", 7). */
export const cleanUp = defineJob({
  kind: 'clean_up_storage_move',
  maxAttempts: 1_000,
  async handle(services: MovingServices, { move, again }: Left): Promise<void> {
    const { database, git, log } = services;
    // HEAD may have been changed in the row, and not in the file that was copied.
    if (move.project_id !== null) await syncHead(database.reader, git, move.project_id);
    try {
      if (await isRead(services, move))
        return database.transaction((tx) => later(tx, { move, ...(again && { again }) }, GRACE_MS));
      await removeSources(git, move);
    } catch (error) {
      log.warn({ err: error, move: move.id }, 'What was moved could not be removed from where it was');
      return end(services, move, 'cleanup failed');
    }
    await end(services, move, 'finished', again);
  },
});

function later(tx: Transaction, left: Left, milliseconds: number): Promise<void> {
  return enqueue(tx, cleanUp, left, { runAt: addMilliseconds(tx.now, milliseconds) });
}

/** Clones that have begun before go on where they have begun. */
async function isRead({ git }: MovingServices, move: Move): Promise<boolean> {
  const sources = pairsOf(git, move).map(({ source }) => source);
  for (const source of sources) releaseRepository(git, source);
  const isUsed = () => sources.some((source) => isRepositoryInUse(git, source));
  for (let waited = 0; isUsed() && waited < PATIENCE_MS; waited += PAUSE_MS) await pause(PAUSE_MS);
  return isUsed();
}

async function end({ database }: MovingServices, move: Move, state: MoveState, again?: true): Promise<void> {
  await database.transaction(async (tx) => {
    const now = await readMove(tx, move.id);
    if (now?.state === 'replicated') {
      await tx.updateTable('storage_moves').set({ state, updated_at: tx.now }).where('id', '=', move.id).execute();
    }
    if (state === 'finished' && !again) {
      await later(tx, { move, again: true }, LAST_LOOK_MS);
    }
  });
}
