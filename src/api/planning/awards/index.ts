import { sql } from 'kysely';
import { getResourceTable, toResource } from '#activity/index.ts';
import { isInIds } from '#database/dialect.ts';
import { BATCH_SIZE, runBatchSteps } from '#events/batches.ts';
import { defineSubscription } from '#events/event-bus.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { VOTE_COLUMN_ENTRIES } from './store.ts';

/**
 * Award emoji on issuables and notes, for the endpoints and quick actions of other modules. It declares no endpoints of its own.
 */
export { type Awardable, createAward, findEmojiName, removeAward, toggleAward } from './award.ts';

export { type AwardRow, findAward, listAwards } from './store.ts';

/** When a user is deleted with their contributions: deletes their awards and updates the vote counts. */
export const onAwardUserDeleted = defineSubscription({
  event: 'user-deleted',
  inBatches: async (uow, { userId, hard }) => (hard ? runBatchSteps(() => deleteAwardsBatch(uow, userId)) : undefined),
});

/** Deletes a batch of the user's awards and returns how many. index: award_emoji_by_user */
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
