import type { Selectable } from 'kysely';
import type { Reader, Schema, Transaction } from '#database/database.ts';

/**
 * How far the primary's events and lists have been processed: `cursor` is the last processed event, `listing_name` and
 * `listing_after_id` the position in the current listing of all objects, `listing` its number.
 */
export type EventPosition = Omit<Selectable<Schema['geo_position']>, 'id'>;

const INITIAL_POSITION: EventPosition = {
  cursor: 0,
  cursor_at: null,
  listing: 0,
  listed_scope: null,
  listing_scope: null,
  listing_name: null,
  listing_after_id: 0,
  followed_at: null,
};

/** Id of the only row. */
const POSITION_ID = 1;

/** Returns the stored position, or the initial one. */
export async function getPosition(db: Reader): Promise<EventPosition> {
  // index: geo_position primary key
  const row = await db.selectFrom('geo_position').selectAll().where('id', '=', POSITION_ID).executeTakeFirst();
  return row ?? INITIAL_POSITION;
}

export async function updatePosition(tx: Transaction, patch: Partial<EventPosition>): Promise<void> {
  await tx
    .insertInto('geo_position')
    .values({ ...INITIAL_POSITION, ...patch, id: POSITION_ID })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(patch))
    .execute();
}
