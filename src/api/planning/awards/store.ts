import { type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely';
import { foreignKeyColumn, type Resource, resourceTable } from '#activity/index.ts';
import type { Reader, Schema, Transaction } from '#database/database.ts';
import { type Page, paginate } from '#database/page.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';

/** Rows of awards. */

export type AwardRow = Selectable<Schema['award_emoji']>;

/** An issuable, or a note on it. */
export interface Awardable {
  readonly noteable: Resource;
  readonly note: { readonly id: number } | null;
}

const foreignKeyOf = ({ noteable, note }: Awardable) =>
  note === null
    ? { column: foreignKeyColumn(noteable.type), id: noteable.id }
    : { column: 'note_id' as const, id: note.id };

/** index: award_emoji_by_issue, award_emoji_by_merge_request, award_emoji_by_epic, award_emoji_by_note */
function isOn(awardable: Awardable): RawBuilder<SqlBool> {
  const { column, id } = foreignKeyOf(awardable);
  return sql<SqlBool>`${sql.ref(column)} = ${id}`;
}

const VOTE_COLUMNS: Readonly<Partial<Record<string, 'upvotes' | 'downvotes'>>> = {
  thumbsup: 'upvotes',
  thumbsdown: 'downvotes',
};

/** Emoji names that count as votes, with the column of the count. */
export const VOTE_NAMES = Object.entries(VOTE_COLUMNS) as readonly (readonly [string, 'upvotes' | 'downvotes'])[];

/** Returns a page of the awards, oldest first. */
export function listAwards(db: Reader, awardable: Awardable, page: OffsetRequest): Promise<Page<AwardRow>> {
  return paginate(db, db.selectFrom('award_emoji').selectAll().where(isOn(awardable)).orderBy('id', 'asc'), page);
}

/** Returns the award with this id if it belongs to the awardable, else null. index: award_emoji primary key */
export async function findAward(db: Reader, awardable: Awardable, id: number): Promise<AwardRow | null> {
  const query = db.selectFrom('award_emoji').selectAll().where('id', '=', id).where(isOn(awardable));
  return (await query.executeTakeFirst()) ?? null;
}

/** Inserts an award. Returns null if the user has already awarded this name. */
export async function insertAward(
  tx: Transaction,
  awardable: Awardable,
  { userId, name }: { readonly userId: number; readonly name: string },
): Promise<AwardRow | null> {
  const { column, id } = foreignKeyOf(awardable);
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
    .where(isOn(awardable));
  return (await deletion.returningAll().executeTakeFirst()) ?? null;
}

/** Updates the vote count and `updated_at` of the awardable after an award was created or deleted. */
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
  const votes = VOTE_COLUMNS[name];
  await tx
    .updateTable(resourceTable(noteable.type))
    .set({ updated_at: tx.now })
    .$if(votes !== undefined, (query) => query.set({ [votes!]: sql<number>`${sql.ref(votes!)} + ${sql.lit(delta)}` }))
    .where('id', '=', noteable.id)
    .execute();
}
