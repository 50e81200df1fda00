import type { Selectable } from 'kysely';
import type { Reader } from '#database/database.ts';
import { createTextLoader } from '#database/long-texts.ts';
import { type Page, paginate } from '#database/page.ts';
import { type Params, prepare } from '#database/prepare.ts';
import type { Schema } from '#database/schema.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';

/** Events of an error. Payloads and tags are loaded separately, because a payload may be a mebibyte long. */

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

export type EventRow = Pick<Selectable<Schema['error_events']>, (typeof COLUMNS)[number]>;

/**
 * Loads payloads by event id. Long ones are loaded only when the response is sent (`mapText`).
 * index: error_events primary key
 */
export const loadPayloads = createTextLoader('error_events', 'payload');

/** Loads tags by event id: up to 200 tags of 1024 characters. index: error_events primary key */
export const loadTags = createTextLoader('error_events', 'tags');

/** Returns one page of an error's events, ordered by the time they occurred. */
export function loadEventPage(
  db: Reader,
  errorId: number,
  sort: 'asc' | 'desc',
  page: OffsetRequest,
): Promise<Page<EventRow>> {
  return paginate(db, selectEvents(db, errorId, sort), page);
}

/** Builds the query of `loadEventPage`. index: error_events_by_error */
export function selectEvents(db: Reader, errorId: number, sort: 'asc' | 'desc') {
  const events = db.selectFrom('error_events').select(COLUMNS).where('error_id', '=', errorId);
  return events.orderBy('occurred_at', sort).orderBy('id', sort);
}

// index: error_events_by_error
const selectNewestEvent = prepare((db, value: Params<{ error: number }>) =>
  db
    .selectFrom('error_events')
    .select(COLUMNS)
    .where('error_id', '=', value('error'))
    .orderBy('occurred_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1),
);

/** Returns the event of an error that occurred last, or null if all events are deleted. */
export async function findLatestEvent(db: Reader, errorId: number): Promise<EventRow | null> {
  return (await selectNewestEvent.first(db, { error: errorId })) ?? null;
}

// index: error_events_by_error
const selectOldestRelease = prepare((db, value: Params<{ error: number }>) =>
  db
    .selectFrom('error_events')
    .select('release')
    .where('error_id', '=', value('error'))
    .orderBy('occurred_at', 'asc')
    .orderBy('id', 'asc')
    .limit(1),
);

/** Returns the release of the oldest stored event; null if that event has no release or no event is stored. */
export async function findFirstRelease(db: Reader, errorId: number): Promise<string | null> {
  return (await selectOldestRelease.first(db, { error: errorId }))?.release ?? null;
}

/**
 * Returns the event with this id, or null if the error has none; the id `latest` selects the newest.
 * index: error_events_by_event_id
 */
export async function findEvent(
  db: Reader,
  error: { readonly id: number; readonly project_id: number },
  eventId: string,
): Promise<EventRow | null> {
  if (eventId === 'latest') return findLatestEvent(db, error.id);
  const query = db
    .selectFrom('error_events')
    .select(COLUMNS)
    .where('project_id', '=', error.project_id)
    .where('event_id', '=', eventId.toLowerCase());
  const row = await query.executeTakeFirst();
  return row?.error_id === error.id ? row : null;
}
