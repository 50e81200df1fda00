import { sql } from 'kysely';
import { isAmong } from '../../../database/dialect.ts';
import { referElsewhere } from '../../../database/some.ts';
import type { Act } from '../../../facts/act.ts';
import { subscription } from '../../../facts/bus.ts';
import { PIECE, pieceOf } from '../../../facts/pieces.ts';
import { resourceOfRow, tableOf } from '../../../history/index.ts';

/** The notes of a deleted user stay as the ghost's; with `hard` they go, and their things count without them. index: notes_by_author */
export const giveNotesAway = subscription({
  fact: 'user-deleted',
  inPieces: (act, { userId, ghostUserId, hard }) =>
    pieceOf(() =>
      hard
        ? deleteSomeOf(act, userId)
        : referElsewhere(act, { table: 'notes', column: 'author_id' }, { from: userId, to: ghostUserId, most: PIECE }),
    ),
});

/** How many they were. What the feeds say of them goes with their author. index: notes_by_author */
async function deleteSomeOf(act: Act, userId: number): Promise<number> {
  const notes = await act
    .selectFrom('notes')
    .select(['id', 'issue_id', 'merge_request_id', 'epic_id', 'system'])
    .where('author_id', '=', userId)
    .limit(PIECE)
    .execute();
  const counted = Map.groupBy(
    notes.filter(({ system }) => !system).map(resourceOfRow),
    ({ type, id }) => `${type} ${id}`,
  );
  // Of how many things that are of one kind so many comments go: mostly one of each.
  const alike = Map.groupBy([...counted.values()], (gone) => `${gone[0]!.type} ${gone.length}`);
  for (const things of alike.values()) {
    const [one, ...others] = things[0]!;
    const count = others.length + 1;
    const ids = things.map((gone) => gone[0]!.id);
    await act
      .updateTable(tableOf(one!.type))
      .set({ user_notes_count: sql<number>`user_notes_count - ${sql.lit(count)}` })
      .where(isAmong(act, sql<number>`id`, ids))
      .execute();
  }
  const ids = notes.map(({ id }) => id);
  await act
    .deleteFrom('notes')
    .where(isAmong(act, sql<number>`id`, ids))
    .execute();
  return ids.length;
}
