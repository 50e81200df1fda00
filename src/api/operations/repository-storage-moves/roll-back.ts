import type { Transaction } from '#database/database.ts';
import { GitError } from '#git/process/failures.ts';
import { getContainerKind } from './repository-kinds.ts';
import type { MovingServices } from './services.ts';
import { getContainerId, type Move } from './store.ts';
import { deleteCopies } from './transfer.ts';

/** Maximum length of a stored error message, in characters. */
const MAX_MESSAGE_LENGTH = 256;

/**
 * Rolls back a move that is not replicated. Stores the error, after which no process can switch to the copy, deletes the
 * copy, and makes the source writable again. Does nothing if the move was replicated in the meantime.
 */
export async function rollBackMove(services: MovingServices, move: Move, message: string): Promise<void> {
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
export function describeCopyError(error: unknown): string {
  if (error instanceof GitError) return `The repository could not be copied: git ${error.failure.kind}`;
  const { code } = error as NodeJS.ErrnoException;
  return `The repository could not be copied${code === undefined ? '' : `: ${code}`}`;
}
