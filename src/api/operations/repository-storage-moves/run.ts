import { setTimeout as pause } from 'node:timers/promises';
import type { Transaction } from '#database/database.ts';
import { defineJob, enqueue } from '#jobs/job.ts';
import { addMilliseconds } from '#runtime/clock.ts';
import { cleanUp, GRACE_MS } from './cleanup.ts';
import { kindOf } from './repository-kinds.ts';
import { rollBack, whyFailed } from './roll-back.ts';
import type { MovingServices } from './services.ts';
import { containerIdOf, type Move, movesIn, repositoriesOf } from './store.ts';
import { transfer, verify } from './transfer.ts';

/**
 * A move, step by step (contract/operations.md §2, "The move", 2 to 6). Wherever it ends early, the row says what is to be done:
 * as long as it is started the source is what counts, and from the moment in which it is replicated the copy does.
 */

/** Moves come one after another: they want the disks for themselves. */
export const LANE = 'moves';

/** Half a move helps nobody. */
const MAX_ATTEMPTS = 100_000;

/** Runs the oldest move that is scheduled, and sees to it that the next one is run. No two of these run at once. */
export const moveNext = defineJob({
  kind: 'move_next_repository',
  maxAttempts: MAX_ATTEMPTS,
  isLongRunning: true,
  async handle(services: MovingServices, _payload: object, { signal }) {
    const { database } = services;
    // Whoever has started these runs no more, or would be running this.
    for (const move of await movesIn(database.reader, 'started', 100)) await rollBack(services, move, INTERRUPTED);
    const [next] = await movesIn(database.reader, 'scheduled', 1);
    if (next !== undefined) await run(services, next, signal);
    if ((await movesIn(database.reader, 'scheduled', 1)).length === 0) return;
    await database.transaction((tx) => enqueue(tx, moveNext, {}, { key: LANE }));
  },
});

/** Moves that wait though nobody is told to run them: a backup may have been restored that has them and not their work. */
export const resumeMoves = defineJob({
  kind: 'resume_storage_moves',
  async handle({ database }: Pick<MovingServices, 'database'>) {
    const waiting = [
      await movesIn(database.reader, 'scheduled', 1),
      await movesIn(database.reader, 'started', 1),
    ].flat();
    if (waiting.length > 0) await database.transaction((tx) => enqueue(tx, moveNext, {}, { key: LANE }));
  },
});

export const resumeMovesOften = { name: 'resume_storage_moves', cron: '*/10 * * * *', job: resumeMoves };

const INTERRUPTED = 'Move was interrupted';

async function run(services: MovingServices, move: Move, signal: AbortSignal): Promise<void> {
  if (!(await start(services, move))) return;
  try {
    await STEPS.whenUnwritten(services, move, signal);
    const container = await kindOf(move.kind).find(services.database.reader, containerIdOf(move));
    const writtenTo = (container?.repositories ?? []).flatMap((one) => (one.isWrittenTo ? [one.diskPath] : []));
    const transferred = isElsewhere(move) ? await STEPS.transfer(services.git, move, { writtenTo, signal }) : [];
    const wrong = await STEPS.verify(services.git, transferred, signal);
    if (wrong !== null)
      throw new MoveFailed(`Failed to verify ${move.kind} repository checksum from ${wrong.from} to ${wrong.to}`);
    await STEPS.switchOver(services, move);
  } catch (error) {
    // The server stops: its next start says that this was interrupted.
    signal.throwIfAborted();
    services.log.warn({ err: error, move: move.id }, 'A repository could not be moved');
    await rollBack(services, move, error instanceof MoveFailed ? error.message : whyFailed(error));
  }
}

/** Told as it is to whoever asks why. */
class MoveFailed extends Error {}

const isElsewhere = ({ source_storage, destination_storage }: Move) => source_storage !== destination_storage;

// index: storage_moves primary key
function start({ database }: MovingServices, { id }: Move): Promise<boolean> {
  return database.transaction(async (tx) => {
    const started = await tx
      .updateTable('storage_moves')
      .set({ state: 'started', updated_at: tx.now })
      .where('id', '=', id)
      .where('state', '=', 'scheduled')
      .returning('id')
      .executeTakeFirst();
    return started !== undefined;
  });
}

/** How long writes may take that were let in before; longer than the refs of any push take to move. */
const PATIENCE_MS = 30_000;
const PAUSE_MS = 50;

/**
 * Waits for what is being written. It is asked in transactions that are serializable: whoever was let in because the
 * container was writable then is seen here, or finds it read-only.
 */
async function whenUnwritten({ database, clock }: MovingServices, move: Move, signal: AbortSignal): Promise<void> {
  const kind = kindOf(move.kind);
  const end = clock.now().getTime() + PATIENCE_MS;
  while (await database.transaction((tx) => kind.isWritten(tx, containerIdOf(move)))) {
    signal.throwIfAborted();
    if (clock.now().getTime() >= end) throw new MoveFailed(`Timeout waiting for ${kind.name} repository pushes`);
    await pause(PAUSE_MS);
  }
}

/** From here on the copy counts, in one transaction. Throws when the move is rolled back already, or what it moves is gone. */
async function switchOver({ database }: MovingServices, move: Move): Promise<void> {
  await database.transaction(async (tx) => {
    const kind = kindOf(move.kind);
    const containerId = containerIdOf(move);
    const places = repositoriesOf(move).map(({ from, to }) => (isElsewhere(move) ? to : from));
    const there = { storage: move.destination_storage, diskPaths: places };
    const isSettled = (await replicate(tx, move)) && !(await kind.isWritten(tx, containerId));
    if (!isSettled || !(await kind.settle(tx, containerId, move.id, there)))
      throw new Error('The move has been given up');
    if (isElsewhere(move)) await enqueue(tx, cleanUp, { move }, { runAt: addMilliseconds(tx.now, GRACE_MS) });
  });
}

/** A move to where it is has nothing to clean up. index: storage_moves primary key */
async function replicate(tx: Transaction, move: Move): Promise<boolean> {
  const replicated = await tx
    .updateTable('storage_moves')
    .set({ state: isElsewhere(move) ? 'replicated' : 'finished', updated_at: tx.now })
    .where('id', '=', move.id)
    .where('state', '=', 'started')
    .where('error_message', 'is', null)
    .returning('id')
    .executeTakeFirst();
  return replicated !== undefined;
}

/** What a move does between its start and its end, in this order. */
export const STEPS = { whenUnwritten, transfer, verify, switchOver };
