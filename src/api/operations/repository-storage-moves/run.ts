import { setTimeout as pause } from 'node:timers/promises';
import type { Transaction } from '#database/database.ts';
import { GitError } from '#git/process/failures.ts';
import { defineJob, enqueue } from '#jobs/job.ts';
import { addMilliseconds } from '#runtime/clock.ts';
import { getContainerKind } from './repository-kinds.ts';
import { getContainerId, listMovesInState, type Move, parseDiskPaths } from './store.ts';
import {
  deleteCopies,
  deleteMovedSources,
  type MovingServices,
  SOURCE_RETENTION_MS,
  transferRepositories,
  verifyCopies,
} from './transfer.ts';

/** Maximum length of a stored error message, in characters. */
const MAX_MESSAGE_LENGTH = 256;

/**
 * Rolls back a move that is not replicated. Stores the error, after which no process can switch to the copy, deletes the
 * copy, and makes the source writable again. Does nothing if the move was replicated in the meantime.
 */
async function rollBackMove(services: MovingServices, move: Move, message: string): Promise<void> {
  const { database, git, log } = services;
  const isNotReplicated = await database.transaction((tx) =>
    storeError(tx, move, message.slice(0, MAX_MESSAGE_LENGTH)),
  );
  if (!isNotReplicated) return;
  try {
    if (move.source_storage !== move.destination_storage) await deleteCopies(git, move);
  } catch (error) {
    // The storage may be broken or full. A leftover copy does no harm.
    log.warn({ err: error, move: move.id }, 'Deleting the copy of a repository failed');
  }
  await database.transaction(async (tx) => {
    await tx
      .updateTable('storage_moves')
      .set({ state: 'failed', updated_at: tx.now })
      .where('id', '=', move.id)
      .where('state', '=', 'started')
      .execute();
    await getContainerKind(move.kind).makeWritable(tx, getContainerId(move), move.id);
  });
}

/**
 * Stores the first error of a move. Returns false if the move was already replicated, true also if its row was deleted.
 * index: storage_moves primary key
 */
async function storeError(tx: Transaction, { id }: Move, message: string): Promise<boolean> {
  const row = await tx
    .updateTable('storage_moves')
    .set((eb) => ({ error_message: eb.fn.coalesce('error_message', eb.val(message)) }))
    .where('id', '=', id)
    .where('state', '=', 'started')
    .returning('id')
    .executeTakeFirst();
  return row !== undefined || !(await moveExists(tx, id));
}

/** Returns whether the row exists. It is deleted with its container, which makes the copy obsolete. */
async function moveExists(tx: Transaction, id: number): Promise<boolean> {
  return (await tx.selectFrom('storage_moves').select('id').where('id', '=', id).executeTakeFirst()) !== undefined;
}

/** Returns a short error message without paths. */
function describeCopyError(error: unknown): string {
  if (error instanceof GitError) return `The repository could not be copied: git ${error.failure.kind}`;
  const { code } = error as NodeJS.ErrnoException;
  return `The repository could not be copied${code === undefined ? '' : `: ${code}`}`;
}

// The steps of a move (contract/operations.md §2, "The move", 2 to 6). After a crash the state of the row decides what to
// do: while it is `started` the source is valid, and once it is `replicated` the copy is.

/** Job key of all moves. They run one at a time, because a move saturates the disks. */
export const QUEUE_KEY = 'moves';

/** Maximum attempts of the job. Practically unlimited, because a move must not remain incomplete. */
const MAX_ATTEMPTS = 100_000;

/** Runs the oldest scheduled move and enqueues the next run. Only one of these jobs runs at a time. */
export const moveNextRepository = defineJob({
  kind: 'move_next_repository',
  maxAttempts: MAX_ATTEMPTS,
  isLongRunning: true,
  async handle(services: MovingServices, _payload: object, { signal }) {
    const { database } = services;
    // These moves were interrupted: this job is the only one that starts moves.
    for (const move of await listMovesInState(database.reader, 'started', 100))
      await rollBackMove(services, move, INTERRUPTED_MESSAGE);
    const [nextMove] = await listMovesInState(database.reader, 'scheduled', 1);
    if (nextMove !== undefined) await runMove(services, nextMove, signal);
    if ((await listMovesInState(database.reader, 'scheduled', 1)).length === 0) return;
    await database.transaction((tx) => enqueue(tx, moveNextRepository, {}, { key: QUEUE_KEY }));
  },
});

/** Enqueues a run if moves are waiting, because a restored backup has the moves, but not their jobs. */
export const resumeMoves = defineJob({
  kind: 'resume_storage_moves',
  async handle({ database }: Pick<MovingServices, 'database'>) {
    const waitingMoves = [
      await listMovesInState(database.reader, 'scheduled', 1),
      await listMovesInState(database.reader, 'started', 1),
    ].flat();
    if (waitingMoves.length > 0)
      await database.transaction((tx) => enqueue(tx, moveNextRepository, {}, { key: QUEUE_KEY }));
  },
});

export const resumeMovesSchedule = { name: 'resume_storage_moves', cron: '*/10 * * * *', job: resumeMoves };

const INTERRUPTED_MESSAGE = 'Move was interrupted';

/** Runs one move. A failure rolls it back; the stop of the server leaves it `started`. */
async function runMove(services: MovingServices, move: Move, signal: AbortSignal): Promise<void> {
  if (!(await startMove(services, move))) return;
  try {
    await STEPS.waitForPendingWrites(services, move, signal);
    const container = await getContainerKind(move.kind).findContainer(services.database.reader, getContainerId(move));
    const nonEmptyPaths = (container?.repositories ?? []).flatMap(({ diskPath, hasContent }) =>
      hasContent ? [diskPath] : [],
    );
    const transferredRepositories = changesStorage(move)
      ? await STEPS.transfer(services.git, move, { nonEmptyPaths, signal })
      : [];
    const checksumMismatch = await STEPS.verify(services.git, transferredRepositories, signal);
    if (checksumMismatch !== null)
      throw new MoveFailed(
        `Failed to verify ${move.kind} repository checksum from ${checksumMismatch.from} to ${checksumMismatch.to}`,
      );
    await STEPS.switchOver(services, move);
  } catch (error) {
    // If the server is stopping, the move is rolled back as interrupted after its next start.
    signal.throwIfAborted();
    services.log.warn({ err: error, move: move.id }, 'Moving a repository failed');
    await rollBackMove(services, move, error instanceof MoveFailed ? error.message : describeCopyError(error));
  }
}

/** A failed move whose message is stored unchanged as `error_message`. */
class MoveFailed extends Error {}

const changesStorage = ({ source_storage, destination_storage }: Move) => source_storage !== destination_storage;

/** Sets the state `started`. Returns false if the move is no longer scheduled. index: storage_moves primary key */
function startMove({ database }: MovingServices, { id }: Move): Promise<boolean> {
  return database.transaction(async (tx) => {
    const startedMove = await tx
      .updateTable('storage_moves')
      .set({ state: 'started', updated_at: tx.now })
      .where('id', '=', id)
      .where('state', '=', 'scheduled')
      .returning('id')
      .executeTakeFirst();
    return startedMove !== undefined;
  });
}

/** Maximum milliseconds of waiting for writes that started before the move. No push takes longer to update refs. */
const MAX_WAIT_MS = 30_000;
const POLL_INTERVAL_MS = 50;

/**
 * Waits until no write is pending. Each check is a serializable transaction: a writer either is seen by the check, or sees
 * that the container is read-only.
 */
async function waitForPendingWrites(
  { database, clock }: MovingServices,
  move: Move,
  signal: AbortSignal,
): Promise<void> {
  const kind = getContainerKind(move.kind);
  const deadlineMs = clock.now().getTime() + MAX_WAIT_MS;
  while (await database.transaction((tx) => kind.hasPendingWrites(tx, getContainerId(move)))) {
    signal.throwIfAborted();
    if (clock.now().getTime() >= deadlineMs) throw new MoveFailed(`Timeout waiting for ${kind.name} repository pushes`);
    await pause(POLL_INTERVAL_MS);
  }
}

/** Switches to the copy in one transaction. Throws if the move was rolled back or its container was deleted. */
async function switchOver({ database }: MovingServices, move: Move): Promise<void> {
  await database.transaction(async (tx) => {
    const kind = getContainerKind(move.kind);
    const containerId = getContainerId(move);
    const diskPaths = parseDiskPaths(move).map(({ from, to }) => (changesStorage(move) ? to : from));
    const location = { storage: move.destination_storage, diskPaths };
    const canSwitchOver = (await leaveStartedState(tx, move)) && !(await kind.hasPendingWrites(tx, containerId));
    if (!canSwitchOver || !(await kind.completeMove(tx, containerId, move.id, location)))
      throw new Error('The move was rolled back, or its container was deleted');
    if (changesStorage(move))
      await enqueue(tx, deleteMovedSources, { move }, { runAt: addMilliseconds(tx.now, SOURCE_RETENTION_MS) });
  });
}

/**
 * Sets the state `replicated`, or `finished` for a move within one storage, which has no source to delete. Returns whether the
 * move was still running. index: storage_moves primary key
 */
async function leaveStartedState(tx: Transaction, move: Move): Promise<boolean> {
  const replicatedMove = await tx
    .updateTable('storage_moves')
    .set({ state: changesStorage(move) ? 'replicated' : 'finished', updated_at: tx.now })
    .where('id', '=', move.id)
    .where('state', '=', 'started')
    // An error message means that a rollback has begun.
    .where('error_message', 'is', null)
    .returning('id')
    .executeTakeFirst();
  return replicatedMove !== undefined;
}

/** The steps between start and end of a move, in this order. They are properties so that tests can replace them. */
export const STEPS = { waitForPendingWrites, transfer: transferRepositories, verify: verifyCopies, switchOver };
