import type { Selectable } from 'kysely';
import { REPLICABLE_NAMES } from '#api/operations/replicables/index.ts';
import type { Database, Reader, Schema, Transaction } from '#database/database.ts';
import { addMilliseconds, type Clock, timestamp } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';
import type { Primary } from '../primary/primary.ts';
import type { OwnSiteRecord, ReplicationEvent } from '../primary/schemas.ts';
import { markListed, scheduleCopies, scheduleRemoval, scheduleRemovalOfUnlisted } from './registry.ts';

// Discovers the primary's objects: first from its lists, then from its events. One transaction stores the rows of a page and
// the position, so a killed process requests the same page again.

interface FollowServices {
  readonly database: Database;
  readonly clock: Clock;
  readonly primary: Primary;
  readonly log: Log;
}

/** `REPLICABLE_NAMES` with a type in which any stored name can be searched. */
const replicableNames: readonly string[] = REPLICABLE_NAMES;

/** Number of rows that one transaction schedules for removal. */
const BATCH_SIZE = 100;

/** A primary keeps events for a day, or until all enabled sites have read them (contract/operations.md §3.4). */
const EVENT_RETENTION_MS = 24 * 3_600_000;
/** Minimum interval between two updates of `followed_at`, in milliseconds. */
const FOLLOWED_AT_UPDATE_MS = 3_600_000;

/**
 * Updates the rows of all objects in the site's scope. Lists everything again if the scope has changed, and copies
 * everything again if the last run is so long ago that the primary may have deleted unread events.
 */
export async function followPrimary(services: FollowServices, site: OwnSiteRecord): Promise<void> {
  await listScope(services, serializeScope(site));
  await followEvents(services);
  await services.database.transaction(async (tx) => {
    const { followed_at } = await getPosition(tx);
    if (followed_at === null || followed_at < addMilliseconds(tx.now, -FOLLOWED_AT_UPDATE_MS))
      await updatePosition(tx, { followed_at: tx.now });
  });
}

/** Returns whether events may have been missed. Remains true until a listing is complete. */
function mayHaveMissedEvents({ followed_at }: EventPosition, now: string): boolean {
  return followed_at !== null && followed_at < addMilliseconds(now, -EVENT_RETENTION_MS);
}

/** Returns a text that identifies the scope of the site: its selective sync. */
function serializeScope({ selective_sync_type: type, ...site }: OwnSiteRecord): string {
  if (type === 'namespaces') return JSON.stringify([type, site.selective_sync_namespace_ids.toSorted((a, b) => a - b)]);
  if (type === 'shards') return JSON.stringify([type, site.selective_sync_shards.toSorted()]);
  return JSON.stringify([]);
}

/** Lists all objects of the scope, if it changed or events may have been missed, and removes unlisted copies. */
async function listScope(services: FollowServices, scope: string): Promise<void> {
  const { database, clock, log } = services;
  const position = await getPosition(database.reader);
  const { listed_scope, listing_scope } = position;
  const mustCopyAgain = mayHaveMissedEvents(position, timestamp(clock));
  if (listed_scope === scope && listing_scope === null && !mustCopyAgain) return;
  // If the scope changed during a listing, the listing starts again.
  if (listing_scope !== scope) await beginListing(services, scope, mustCopyAgain || listed_scope === null);
  for (;;) if (!(await listPage(services, mustCopyAgain))) break;
  for (;;) if (!(await removeUnlistedBatch(database))) break;
  await database.transaction((tx) =>
    updatePosition(tx, { listed_scope: scope, listing_scope: null, listing_replicable_name: null }),
  );
  log.info('Listed all objects to copy');
}

/**
 * Stores the start of a listing of all objects. `skipPastEvents` moves the event cursor to the latest event; otherwise the
 * unread events are processed after the listing.
 */
async function beginListing(
  { database, primary }: FollowServices,
  scope: string,
  skipPastEvents: boolean,
): Promise<void> {
  const { cursor, cursor_at, listing } = await getPosition(database.reader);
  const startPosition = { cursor, cursor_at };
  // The lists include all changes up to now, so the cursor moves past the events of these changes.
  while (skipPastEvents) {
    const lastEvent = (await primary.listEvents(startPosition.cursor)).at(-1);
    if (lastEvent === undefined) break;
    Object.assign(startPosition, { cursor: lastEvent.id, cursor_at: lastEvent.created_at });
  }
  const firstPage = { listing: listing + 1, listing_replicable_name: REPLICABLE_NAMES[0], listing_after_id: 0 };
  await database.transaction((tx) => updatePosition(tx, { ...startPosition, ...firstPage, listing_scope: scope }));
}

/**
 * Processes the next page of the current listing; returns false if there is none. `mustCopyAgain`: copies known objects
 * again too, because they may have changed.
 */
async function listPage({ database, primary }: FollowServices, mustCopyAgain: boolean): Promise<boolean> {
  const { listing, listing_replicable_name: name, listing_after_id } = await getPosition(database.reader);
  if (name === null) return false;
  const page = await primary.listReplicables(name, listing_after_id);
  const last = page.at(-1);
  const nextName = REPLICABLE_NAMES[replicableNames.indexOf(name) + 1] ?? null;
  await database.transaction(async (tx) => {
    await (mustCopyAgain ? scheduleCopies : markListed)(tx, page, listing);
    await updatePosition(
      tx,
      last === undefined
        ? { listing_replicable_name: nextName, listing_after_id: 0 }
        : { listing_after_id: last.replicable_id },
    );
  });
  return true;
}

/** Schedules the removal of some copies that the current listing did not contain. Returns whether there may be more. */
function removeUnlistedBatch(database: Database): Promise<boolean> {
  return database.transaction(async (tx) => scheduleRemovalOfUnlisted(tx, (await getPosition(tx)).listing, BATCH_SIZE));
}

/** Processes all events up to now. */
export async function followEvents({ database, primary }: FollowServices): Promise<void> {
  for (;;) {
    const { cursor } = await getPosition(database.reader);
    const events = await primary.listEvents(cursor);
    const lastEvent = events.at(-1);
    if (lastEvent === undefined) return;
    await database.transaction(async (tx) => {
      const { listing } = await getPosition(tx);
      for (const event of keepLatestPerObject(events)) {
        if (event.event_name === 'deleted') await scheduleRemoval(tx, event);
        else await scheduleCopies(tx, [event], listing);
      }
      await updatePosition(tx, { cursor: lastEvent.id, cursor_at: lastEvent.created_at });
    });
  }
}

/** Returns the last event of each object. */
function keepLatestPerObject(events: readonly ReplicationEvent[]): Iterable<ReplicationEvent> {
  return new Map(events.map((event) => [`${event.replicable_name} ${event.replicable_id}`, event])).values();
}

/**
 * The progress in the primary's events and lists: `cursor` is the last processed event, `listing_replicable_name` and
 * `listing_after_id` the position in the current listing of all objects, `listing` its number.
 * `listing_scope` is the scope of the current listing, `listed_scope` that of the last complete one. `followed_at` is when all
 * events had been processed; it is updated at most once an hour.
 */
type EventPosition = Omit<Selectable<Schema['geo_position']>, 'id'>;

const INITIAL_POSITION: EventPosition = {
  cursor: 0,
  cursor_at: null,
  listing: 0,
  listed_scope: null,
  listing_scope: null,
  listing_replicable_name: null,
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

async function updatePosition(tx: Transaction, patch: Partial<EventPosition>): Promise<void> {
  await tx
    .insertInto('geo_position')
    .values({ ...INITIAL_POSITION, ...patch, id: POSITION_ID })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(patch))
    .execute();
}
