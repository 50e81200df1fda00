import { REPLICABLE_NAMES } from '#api/operations/replicables/index.ts';
import type { Database } from '#database/database.ts';
import { type Clock, momentAfter, timestamp } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';
import type { Primary } from '../primary/primary.ts';
import type { ReplicationEvent, Site } from '../primary/schemas.ts';
import { move, type Position, readPosition } from './event-position.ts';
import { leave, leaveUnlisted, listCopies, wantCopies } from './registry.ts';

/*
 * What the primary has comes to be known here: once everything by lists, then what happens by its feed. Each page is one
 * transaction of rows and place: a process that is killed asks for the same page again.
 */

interface Following {
  readonly database: Database;
  readonly clock: Clock;
  readonly primary: Primary;
  readonly log: Log;
}

const names: readonly string[] = REPLICABLE_NAMES;

/** Rows that leave in one transaction. */
const PIECE = 100;

/** A primary keeps what has happened for a day, or until enabled sites have heard of it (contract/operations.md §3.4). */
const KEPT_MS = 24 * 3_600_000;
/** It is written down no more often that everything is known. */
const TOLD_MS = 3_600_000;

/**
 * The rows of all that is in the site's scope, and of what has happened since. Everything is listed anew when the scope has
 * changed, and copied anew when so long nobody has followed that the primary may have forgotten what has happened.
 */
export async function follow(following: Following, site: Site): Promise<void> {
  await list(following, scopeOf(site));
  await followEvents(following);
  await following.database.transaction(async (tx) => {
    const { followed_at } = await readPosition(tx);
    if (followed_at === null || followed_at < momentAfter(tx.now, -TOLD_MS)) await move(tx, { followed_at: tx.now });
  });
}

/** It stays so until everything was listed, whoever begins that and whoever ends it. */
function isForgotten({ followed_at }: Position, now: string): boolean {
  return followed_at !== null && followed_at < momentAfter(now, -KEPT_MS);
}

/** What is selected, as a text that is another one for another selection. */
function scopeOf({ selective_sync_type: type, ...site }: Site): string {
  if (type === 'namespaces') return JSON.stringify([type, site.selective_sync_namespace_ids.toSorted((a, b) => a - b)]);
  if (type === 'shards') return JSON.stringify([type, site.selective_sync_shards.toSorted()]);
  return JSON.stringify([]);
}

async function list(following: Following, scope: string): Promise<void> {
  const { database, clock, log } = following;
  const position = await readPosition(database.reader);
  const { listed_scope, listing_scope } = position;
  const anew = isForgotten(position, timestamp(clock));
  if (listed_scope === scope && listing_scope === null && !anew) return;
  // A selection that has changed while it was listed is listed from its beginning.
  if (listing_scope !== scope) await beginListing(following, scope, anew || listed_scope === null);
  for (;;) if (!(await listPage(following, anew))) break;
  for (;;) if (!(await leavePiece(database))) break;
  await database.transaction((tx) => move(tx, { listed_scope: scope, listing_scope: null, listing_name: null }));
  log.info('Everything that is to be copied is listed');
}

async function beginListing({ database, primary }: Following, scope: string, fromNow: boolean): Promise<void> {
  const { cursor, cursor_at, listing } = await readPosition(database.reader);
  const from = { cursor, cursor_at };
  // What has happened before is in the lists: only what happens from now on has to be followed.
  while (fromNow) {
    const { events, until } = await primary.eventsAfter(from.cursor);
    if (until === from.cursor) break;
    Object.assign(from, { cursor: until, cursor_at: events.at(-1)?.created_at ?? from.cursor_at });
  }
  const beginning = { listing: listing + 1, listing_name: REPLICABLE_NAMES[0], listing_after_id: 0 };
  await database.transaction((tx) => move(tx, { ...from, ...beginning, listing_scope: scope }));
}

/** The next page of the listing under way; false: there is none. `anew`: what is known may have changed. */
async function listPage({ database, primary }: Following, anew: boolean): Promise<boolean> {
  const { listing, listing_name: name, listing_after_id } = await readPosition(database.reader);
  if (name === null) return false;
  const page = await primary.replicablesAfter(name, listing_after_id);
  const last = page.at(-1);
  const next = REPLICABLE_NAMES[names.indexOf(name) + 1] ?? null;
  await database.transaction(async (tx) => {
    await (anew ? wantCopies : listCopies)(tx, page, listing);
    await move(
      tx,
      last === undefined ? { listing_name: next, listing_after_id: 0 } : { listing_after_id: last.replicable_id },
    );
  });
  return true;
}

function leavePiece(database: Database): Promise<boolean> {
  return database.transaction(async (tx) => leaveUnlisted(tx, (await readPosition(tx)).listing, PIECE));
}

/** Everything that has happened by now has its row when this resolves. */
export async function followEvents({ database, primary }: Following): Promise<void> {
  for (;;) {
    const { cursor, cursor_at } = await readPosition(database.reader);
    const { events, until } = await primary.eventsAfter(cursor);
    if (until === cursor) return;
    await database.transaction(async (tx) => {
      const { listing } = await readPosition(tx);
      for (const event of newest(events)) {
        if (event.event_name === 'deleted') await leave(tx, event);
        else await wantCopies(tx, [event], listing);
      }
      await move(tx, { cursor: until, cursor_at: events.at(-1)?.created_at ?? cursor_at });
    });
  }
}

/** Of what has happened to one object only the last counts. */
function newest(events: readonly ReplicationEvent[]): Iterable<ReplicationEvent> {
  return new Map(events.map((event) => [`${event.replicable_name} ${event.replicable_id}`, event])).values();
}
