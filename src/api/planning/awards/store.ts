import { type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely';
import { columnOf, type Resource, tableOf } from '#activity/index.ts';
import type { Reader, Schema, Transaction } from '#database/database.ts';
import { type Page, paged } from '#database/page.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';

/** The rows of awards. */

export type AwardRow = Selectable<Schema['award_emoji']>;

/** What is awarded: a thing, or a note on it. */
export interface Awarded {
  readonly thing: Resource;
  readonly note: { readonly id: number } | null;
}

const rowOf = ({ thing, note }: Awarded) =>
  note === null ? { column: columnOf(thing.type), id: thing.id } : { column: 'note_id' as const, id: note.id };

/** index: award_emoji_by_issue, award_emoji_by_merge_request, award_emoji_by_epic, award_emoji_by_note */
function isOn(awarded: Awarded): RawBuilder<SqlBool> {
  const { column, id } = rowOf(awarded);
  return sql<SqlBool>`${sql.ref(column)} = ${id}`;
}

const COUNTED: Readonly<Partial<Record<string, 'upvotes' | 'downvotes'>>> = {
  thumbsup: 'upvotes',
  thumbsdown: 'downvotes',
};

/** The votes that things count, by the name of what they are awarded. */
export const VOTES = Object.entries(COUNTED) as readonly (readonly [string, 'upvotes' | 'downvotes'])[];

/** One page of what a thing or a note was awarded, the first one first. */
export function listAwards(db: Reader, awarded: Awarded, page: OffsetRequest): Promise<Page<AwardRow>> {
  return paged(db, db.selectFrom('award_emoji').selectAll().where(isOn(awarded)).orderBy('id', 'asc'), page);
}

/** One of its own. index: award_emoji primary key */
export async function findAward(db: Reader, awarded: Awarded, id: number): Promise<AwardRow | null> {
  const found = db.selectFrom('award_emoji').selectAll().where('id', '=', id).where(isOn(awarded));
  return (await found.executeTakeFirst()) ?? null;
}

/** Null: the user has awarded it already. */
export async function insertAward(
  tx: Transaction,
  awarded: Awarded,
  { userId, name }: { readonly userId: number; readonly name: string },
): Promise<AwardRow | null> {
  const { column, id } = rowOf(awarded);
  const row = await tx
    .insertInto('award_emoji')
    .values({ user_id: userId, name, [column]: id, created_at: tx.now, updated_at: tx.now })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

/** What went; null: it was gone. index: award_emoji primary key */
export async function deleteAward(tx: Transaction, id: number): Promise<AwardRow | null> {
  return (await tx.deleteFrom('award_emoji').where('id', '=', id).returningAll().executeTakeFirst()) ?? null;
}

/** The same of what the user has awarded by this name. index: award_emoji_by_user */
export async function deleteAwardOf(
  tx: Transaction,
  awarded: Awarded,
  { userId, name }: { readonly userId: number; readonly name: string },
): Promise<AwardRow | null> {
  const own = tx.deleteFrom('award_emoji').where('user_id', '=', userId).where('name', '=', name).where(isOn(awarded));
  return (await own.returningAll().executeTakeFirst()) ?? null;
}

/** What is awarded has one more or less of this name, which changes it. */
export async function countAward(tx: Transaction, { thing, note }: Awarded, name: string, by: 1 | -1): Promise<void> {
  if (note !== null) {
    await tx.updateTable('notes').set({ updated_at: tx.now }).where('id', '=', note.id).execute();
    return;
  }
  const votes = COUNTED[name];
  await tx
    .updateTable(tableOf(thing.type))
    .set({ updated_at: tx.now })
    .$if(votes !== undefined, (query) => query.set({ [votes!]: sql<number>`${sql.ref(votes!)} + ${sql.lit(by)}` }))
    .where('id', '=', thing.id)
    .execute();
}
