import type { Transaction } from '#database/database.ts';
import { GitError } from '#git/process/failures.ts';
import { kindOf } from './repository-kinds.ts';
import type { MovingServices } from './services.ts';
import { containerIdOf, type Move } from './store.ts';
import { removeCopies } from './transfer.ts';

const LONGEST_MESSAGE = 256;

/**
 * Gives a move up that is not replicated: first it is said that it is, from when on nobody makes the copy count any more; then
 * the copy goes, then the source is writable again. Nothing happens to a move that has come further meanwhile.
 */
export async function rollBack(services: MovingServices, move: Move, message: string): Promise<void> {
  const { database, git, log } = services;
  const isOurs = await database.transaction((tx) => giveUp(tx, move, message.slice(0, LONGEST_MESSAGE)));
  if (!isOurs) return;
  try {
    if (move.source_storage !== move.destination_storage) await removeCopies(git, move);
  } catch (error) {
    // The storage is broken, or full: what is left of the copy is in nobody's way.
    log.warn({ err: error, move: move.id }, 'What was copied of a repository could not be removed');
  }
  await database.transaction(async (tx) => {
    await tx
      .updateTable('storage_moves')
      .set({ state: 'failed', updated_at: tx.now })
      .where('id', '=', move.id)
      .where('state', '=', 'started')
      .execute();
    await kindOf(move.kind).unlock(tx, containerIdOf(move), move.id);
  });
}

/** index: storage_moves primary key */
async function giveUp(tx: Transaction, { id }: Move, message: string): Promise<boolean> {
  const row = await tx
    .updateTable('storage_moves')
    .set((eb) => ({ error_message: eb.fn.coalesce('error_message', eb.val(message)) }))
    .where('id', '=', id)
    .where('state', '=', 'started')
    .returning('id')
    .executeTakeFirst();
  return row !== undefined || !(await isThere(tx, id));
}

/** Its container has been destroyed: then nothing of the copy is wanted. */
async function isThere(tx: Transaction, id: number): Promise<boolean> {
  return (await tx.selectFrom('storage_moves').select('id').where('id', '=', id).executeTakeFirst()) !== undefined;
}

/** What went wrong in a few words, without paths. */
export function whyFailed(error: unknown): string {
  if (error instanceof GitError) return `The repository could not be copied: git ${error.failure.kind}`;
  const { code } = error as NodeJS.ErrnoException;
  return `The repository could not be copied${code === undefined ? '' : `: ${code}`}`;
}
