import { sql } from 'kysely';
import { getResourceTable, toResource } from '#activity/index.ts';
import { reassignReferences } from '#database/batch-statements.ts';
import { isInIds } from '#database/dialect.ts';
import { BATCH_SIZE, runBatchSteps } from '#events/batches.ts';
import { defineSubscription } from '#events/event-bus.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { VOTE_COLUMN_ENTRIES } from './store.ts';

/**
 * When a user is deleted, sets the user of their awards to null. On hard delete, deletes the awards and updates the vote
 * counts. index: award_emoji_by_user
 */
export const onAwardUserDeleted = defineSubscription({
  event: 'user-deleted',
  inBatches: (uow, { userId, hard }) =>
    runBatchSteps(() =>
      hard
        ? deleteAwardsBatch(uow, userId)
        : reassignReferences(
            uow,
            { table: 'award_emoji', column: 'user_id' },
            { from: userId, to: null, limit: BATCH_SIZE },
          ),
    ),
});

/** Deletes a batch of the user's awards and returns how many. */
async function deleteAwardsBatch(uow: UnitOfWork, userId: number): Promise<number> {
  const hasIdIn = (rows: readonly { readonly id: number }[]) =>
    isInIds(
      uow,
      sql<number>`id`,
      rows.map(({ id }) => id),
    );
  const rows = await uow
    .selectFrom('award_emoji')
    .selectAll()
    .where('user_id', '=', userId)
    .limit(BATCH_SIZE)
    .execute();
  for (const [name, voteColumn] of VOTE_COLUMN_ENTRIES) {
    const votedNoteables = rows.filter((row) => row.name === name && row.note_id === null).map(toResource);
    for (const [type, noteables] of Map.groupBy(votedNoteables, (noteable) => noteable.type)) {
      const decrement = { [voteColumn]: sql<number>`${sql.ref(voteColumn)} - 1` };
      await uow.updateTable(getResourceTable(type)).set(decrement).where(hasIdIn(noteables)).execute();
    }
  }
  await uow.deleteFrom('award_emoji').where(hasIdIn(rows)).execute();
  return rows.length;
}
