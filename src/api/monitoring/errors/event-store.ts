import type { Selectable } from 'kysely';
import type { Reader } from '#database/database.ts';
import { createTextLoader } from '#database/long-texts.ts';
import { type Page, paginate } from '#database/page.ts';
import { type Params, prepare } from '#database/prepare.ts';
import type { ErrorTrackingTables } from '#database/tables/error-tracking.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';

/** The reports of an error. What they hold is read apart: each may be a mebibyte. */

const COLUMNS = [
  'id',
  'error_id',
  'event_id',
  'type',
  'level',
  'message',
  'environment',
  'release',
  'logger',
  'platform',
  'affected_user',
  'occurred_at',
  'received_at',
] as const;

export type EventRow = Pick<Selectable<ErrorTrackingTables['error_events']>, (typeof COLUMNS)[number]>;

/** Events as they came, by their ids: long ones may come only when they are sent (`mapText`). index: error_events primary key */
export const payloadsOf = createTextLoader('error_events', 'payload');

/** Their tags likewise: two hundred of a thousand characters each. index: error_events primary key */
export const tagsOf = createTextLoader('error_events', 'tags');

/** One page of an error's events, by when they happened. */
export function listEvents(
  db: Reader,
  errorId: number,
  sort: 'asc' | 'desc',
  page: OffsetRequest,
): Promise<Page<EventRow>> {
  return paginate(db, eventsOf(db, errorId, sort), page);
}

/** The same as a query. index: error_events_by_error */
export function eventsOf(db: Reader, errorId: number, sort: 'asc' | 'desc') {
  const all = db.selectFrom('error_events').select(COLUMNS).where('error_id', '=', errorId);
  return all.orderBy('occurred_at', sort).orderBy('id', sort);
}

// index: error_events_by_error
const newest = prepare((db, value: Params<{ error: number }>) =>
  db
    .selectFrom('error_events')
    .select(COLUMNS)
    .where('error_id', '=', value('error'))
    .orderBy('occurred_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1),
);

/** The event of an error that has happened last; null when all have gone. */
export async function latestEvent(db: Reader, errorId: number): Promise<EventRow | null> {
  return (await newest.first(db, { error: errorId })) ?? null;
}

// index: error_events_by_error
const oldest = prepare((db, value: Params<{ error: number }>) =>
  db
    .selectFrom('error_events')
    .select('release')
    .where('error_id', '=', value('error'))
    .orderBy('occurred_at', 'asc')
    .orderBy('id', 'asc')
    .limit(1),
);

/** The release in which an error has happened first, of what is still known of it. */
export async function firstRelease(db: Reader, errorId: number): Promise<string | null> {
  return (await oldest.first(db, { error: errorId }))?.release ?? null;
}

/** An error's event of this id, or the `latest`; null where there is none. index: error_events_by_event_id */
export async function findEvent(
  db: Reader,
  error: { readonly id: number; readonly project_id: number },
  eventId: string,
): Promise<EventRow | null> {
  if (eventId === 'latest') return latestEvent(db, error.id);
  const named = db
    .selectFrom('error_events')
    .select(COLUMNS)
    .where('project_id', '=', error.project_id)
    .where('event_id', '=', eventId.toLowerCase());
  const row = await named.executeTakeFirst();
  return row?.error_id === error.id ? row : null;
}
