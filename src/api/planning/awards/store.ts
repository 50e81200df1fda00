import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { getForeignKeyColumn, getResourceTable, type Resource } from '#activity/index.ts';
import type { Columns, Reader, Transaction } from '#database/database.ts';
import { type Page, paginate } from '#database/page.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';

export type AwardRow = Columns<'award_emoji'>;

/** An issuable, or a note on it. */
export interface Awardable {
  readonly noteable: Resource;
  readonly note: { readonly id: number } | null;
}

/** Returns the foreign key column and its value for the awards of the awardable. */
const toForeignKey = ({ noteable, note }: Awardable) =>
  note === null
    ? { column: getForeignKeyColumn(noteable.type), id: noteable.id }
    : { column: 'note_id' as const, id: note.id };

/**
 * Matches the awards of the awardable.
 * index: award_emoji_by_issue, award_emoji_by_merge_request, award_emoji_by_epic, award_emoji_by_note
 */
function belongsTo(awardable: Awardable): RawBuilder<SqlBool> {
  const { column, id } = toForeignKey(awardable);
  return sql<SqlBool>`${sql.ref(column)} = ${id}`;
}

/** The column with the number of votes by emoji name. */
const VOTE_COLUMNS: Readonly<Partial<Record<string, 'upvotes' | 'downvotes'>>> = {
  thumbsup: 'upvotes',
  thumbsdown: 'downvotes',
};

/** Entries of `VOTE_COLUMNS`: each emoji name that counts as a vote, with the column of its count. */
export const VOTE_COLUMN_ENTRIES = Object.entries(VOTE_COLUMNS) as readonly (readonly [
  string,
  'upvotes' | 'downvotes',
])[];

/** Returns a page of the awards, oldest first. */
export function listAwards(db: Reader, awardable: Awardable, page: OffsetRequest): Promise<Page<AwardRow>> {
  return paginate(db, db.selectFrom('award_emoji').selectAll().where(belongsTo(awardable)).orderBy('id', 'asc'), page);
}

/** Returns the award with this id if it belongs to the awardable, else null. index: award_emoji primary key */
export async function findAward(db: Reader, awardable: Awardable, id: number): Promise<AwardRow | null> {
  const query = db.selectFrom('award_emoji').selectAll().where('id', '=', id).where(belongsTo(awardable));
  return (await query.executeTakeFirst()) ?? null;
}

/** Inserts an award. Returns null if the user has already awarded this name. */
export async function insertAward(
  tx: Transaction,
  awardable: Awardable,
  { userId, name }: { readonly userId: number; readonly name: string },
): Promise<AwardRow | null> {
  const { column, id } = toForeignKey(awardable);
  const row = await tx
    .insertInto('award_emoji')
    .values({ user_id: userId, name, [column]: id, created_at: tx.now, updated_at: tx.now })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

/** Deletes an award and returns it, or null if it does not exist. index: award_emoji primary key */
export async function deleteAward(tx: Transaction, id: number): Promise<AwardRow | null> {
  return (await tx.deleteFrom('award_emoji').where('id', '=', id).returningAll().executeTakeFirst()) ?? null;
}

/** Deletes the user's award of this name and returns it, or null. index: award_emoji_by_user */
export async function deleteAwardByName(
  tx: Transaction,
  awardable: Awardable,
  { userId, name }: { readonly userId: number; readonly name: string },
): Promise<AwardRow | null> {
  const deletion = tx
    .deleteFrom('award_emoji')
    .where('user_id', '=', userId)
    .where('name', '=', name)
    .where(belongsTo(awardable));
  return (await deletion.returningAll().executeTakeFirst()) ?? null;
}

/** Updates `updated_at` and, if it is an issuable, the vote count of the awardable after a change of its awards. */
export async function updateVoteCount(
  tx: Transaction,
  { noteable, note }: Awardable,
  name: string,
  delta: 1 | -1,
): Promise<void> {
  if (note !== null) {
    await tx.updateTable('notes').set({ updated_at: tx.now }).where('id', '=', note.id).execute();
    return;
  }
  const voteColumn = VOTE_COLUMNS[name];
  await tx
    .updateTable(getResourceTable(noteable.type))
    .set({ updated_at: tx.now })
    .$if(voteColumn !== undefined, (query) =>
      query.set({ [voteColumn!]: sql<number>`${sql.ref(voteColumn!)} + ${sql.lit(delta)}` }),
    )
    .where('id', '=', noteable.id)
    .execute();
}
