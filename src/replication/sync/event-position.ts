import type { Selectable, Updateable } from 'kysely';
import type { Reader, Schema, Transaction } from '#database/database.ts';

/** How far the primary has been followed; see the columns of the table. */
export type Position = Omit<Selectable<Schema['geo_position']>, 'id'>;

const BEGINNING: Position = {
  cursor: 0,
  cursor_at: null,
  listing: 0,
  listed_scope: null,
  listing_scope: null,
  listing_name: null,
  listing_after_id: 0,
  followed_at: null,
};

const ONLY = 1;

export async function readPosition(db: Reader): Promise<Position> {
  // index: geo_position primary key
  const row = await db.selectFrom('geo_position').selectAll().where('id', '=', ONLY).executeTakeFirst();
  return row ?? BEGINNING;
}

export async function move(tx: Transaction, changes: Omit<Updateable<Schema['geo_position']>, 'id'>): Promise<void> {
  await tx
    .insertInto('geo_position')
    .values({ ...BEGINNING, ...changes, id: ONLY })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(changes))
    .execute();
}
