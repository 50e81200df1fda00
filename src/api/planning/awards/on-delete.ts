import { sql } from 'kysely';
import { resourceOfRow, tableOf } from '#activity/index.ts';
import { referElsewhere } from '#database/batch-statements.ts';
import { isAmong } from '#database/dialect.ts';
import { PIECE, pieceOf } from '#events/batches.ts';
import { subscription } from '#events/event-bus.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { VOTES } from './store.ts';

/** What a deleted user has awarded stays and is the ghost's; with `hard` it goes, and is counted no more. index: award_emoji_by_user */
export const awardsOutliveUsers = subscription({
  event: 'user-deleted',
  inBatches: (uow, { userId, hard }) =>
    pieceOf(() =>
      hard
        ? deleteSomeOf(uow, userId)
        : referElsewhere(uow, { table: 'award_emoji', column: 'user_id' }, { from: userId, to: null, most: PIECE }),
    ),
});

/** How many they were. */
async function deleteSomeOf(uow: UnitOfWork, userId: number): Promise<number> {
  const isOneOf = (rows: readonly { readonly id: number }[]) =>
    isAmong(
      uow,
      sql<number>`id`,
      rows.map(({ id }) => id),
    );
  const rows = await uow.selectFrom('award_emoji').selectAll().where('user_id', '=', userId).limit(PIECE).execute();
  for (const [name, votes] of VOTES) {
    const counted = rows.filter((row) => row.name === name && row.note_id === null).map(resourceOfRow);
    for (const [type, things] of Map.groupBy(counted, (thing) => thing.type)) {
      const less = { [votes]: sql<number>`${sql.ref(votes)} - 1` };
      await uow.updateTable(tableOf(type)).set(less).where(isOneOf(things)).execute();
    }
  }
  await uow.deleteFrom('award_emoji').where(isOneOf(rows)).execute();
  return rows.length;
}
