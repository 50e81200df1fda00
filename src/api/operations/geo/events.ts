import type { Selectable } from 'kysely';
import type { Database, Reader, Transaction } from '#database/database.ts';
import type { ReplicableName, Schema } from '#database/schema.ts';
import { type SiteScope, siteScopeColumns } from '#domain/site-scope.ts';
import { defineJob } from '#jobs/job.ts';
import { addMilliseconds } from '#runtime/clock.ts';
import { deleteOrphanedChecksums, loadReplicables, type Replicable } from '../replicables/index.ts';

// Events of objects in a site's scope, in commit order (contract/operations.md §3.4).

type StoredEvent = Selectable<Schema['geo_events']>;

export interface SiteEvent extends Omit<StoredEvent, 'rescoped'> {
  readonly checksum: string | null;
}

interface SiteEventPage {
  readonly events: readonly SiteEvent[];
  /** The objects of these events in their current state. */
  readonly replicables: readonly Replicable[];
  /** Id up to which no further event is in the site's scope. */
  readonly scannedUntilId: number;
}

/** Returns the columns that decide which objects a site copies; null if the site was deleted. */
export async function findSiteScope(db: Reader, siteId: number): Promise<SiteScope | null> {
  // index: geo_sites primary key
  const row = await db.selectFrom('geo_sites').select(siteScopeColumns).where('id', '=', siteId).executeTakeFirst();
  return row ?? null;
}

/** Number of events that one query scans for a site with selective sync. */
const SCAN_BATCH_SIZE = 500;

/** Returns the next events after an id that are in the site's scope, at most `limit`. */
export async function listSiteEvents(
  db: Reader,
  scope: SiteScope,
  { afterId, limit }: { readonly afterId: number; readonly limit: number },
): Promise<SiteEventPage> {
  const events: SiteEvent[] = [];
  const replicables: Replicable[] = [];
  let scannedUntilId = afterId;
  for (;;) {
    // A site without selective sync gets all events.
    const batchSize = scope.selective_sync_type === null ? limit - events.length : SCAN_BATCH_SIZE;
    const batch = await listEventsAfter(db, scannedUntilId, batchSize);
    const replicablesByKey = await loadReplicablesInScope(db, scope, batch);
    for (const event of batch) {
      const replicable = replicablesByKey.get(toReplicableKey(event));
      const siteEvent = toSiteEvent(event, replicable);
      scannedUntilId = event.id;
      if (siteEvent === null) continue;
      if (replicable !== undefined) replicables.push(replicable);
      if (events.push(siteEvent) === limit) return { events, replicables, scannedUntilId };
    }
    if (batch.length < batchSize) return { events, replicables, scannedUntilId };
  }
}

function listEventsAfter(db: Reader, afterId: number, limit: number): Promise<StoredEvent[]> {
  // index: geo_events primary key
  return db.selectFrom('geo_events').selectAll().where('id', '>', afterId).orderBy('id').limit(limit).execute();
}

/** Returns the key of an object in maps of this file: its kind and id. */
const toReplicableKey = ({
  replicable_name: name,
  replicable_id: id,
}: Pick<StoredEvent, 'replicable_name' | 'replicable_id'>) => `${name} ${id}`;

/** Returns the objects of these events that are in the site's scope, by `toReplicableKey`. */
async function loadReplicablesInScope(
  db: Reader,
  scope: SiteScope,
  events: readonly StoredEvent[],
): Promise<ReadonlyMap<string, Replicable>> {
  const idsByName = new Map<ReplicableName, Set<number>>();
  for (const { event_name, replicable_name: name, replicable_id: id } of events) {
    if (event_name !== 'deleted') idsByName.set(name, (idsByName.get(name) ?? new Set()).add(id));
  }
  const replicablesByKey = new Map<string, Replicable>();
  for (const [name, ids] of idsByName) {
    for (const replicable of await loadReplicables(db, scope, name, { ids: [...ids] }))
      replicablesByKey.set(toReplicableKey(replicable), replicable);
  }
  return replicablesByKey;
}

/**
 * Returns the event as the site gets it; null if it is out of scope. All sites get deletions, because the scope of a
 * deleted object is unknown. A `rescoped` event, such as a transfer, reports an object that is now out of scope as deleted.
 */
function toSiteEvent({ rescoped, ...event }: StoredEvent, replicable: Replicable | undefined): SiteEvent | null {
  if (event.event_name === 'deleted' || (replicable === undefined && rescoped)) {
    return { ...event, event_name: 'deleted', checksum: null };
  }
  return replicable === undefined ? null : { ...event, checksum: replicable.checksum };
}

/** Minimum retention of events. Events are also retained until all enabled secondaries have read them. */
const RETENTION_MS = 24 * 3_600_000;
/** Maximum number of events that one transaction deletes. */
const BATCH_SIZE = 1_000;

/** Deletes old events, and the checksums of deleted repositories. Without a secondary, only the age of events counts. */
export const deleteOldEvents = defineJob({
  kind: 'geo_events',
  async handle({ database }: { readonly database: Database }) {
    const lastReadId = await findLastIdReadByAll(database.reader);
    for (let deletedCount = BATCH_SIZE; deletedCount === BATCH_SIZE; )
      deletedCount = await database.transaction((tx) => deleteBatch(tx, lastReadId));
    await deleteOrphanedChecksums(database);
  },
});

export const deleteOldEventsHourly = { name: 'geo_events', cron: '35 * * * *', job: deleteOldEvents };

/** Returns the id of the last event that all enabled secondaries have read; null if there is no secondary. */
async function findLastIdReadByAll(db: Reader): Promise<number | null> {
  // No index: there are few sites.
  const sites = await db
    .selectFrom('geo_sites')
    .leftJoin('geo_statuses', 'geo_statuses.site_id', 'geo_sites.id')
    .select([...siteScopeColumns, 'geo_statuses.cursor_last_event_id as cursor'])
    .where('is_primary', '=', false)
    .where('enabled', '=', true)
    .execute();
  const readIds: number[] = [];
  for (const { cursor, ...scope } of sites) readIds.push(await findLastIdReadBy(db, scope, cursor ?? 0));
  return readIds.length === 0 ? null : Math.min(...readIds);
}

/** Returns the id before the next event in the site's scope: the site skips all events up to it. */
async function findLastIdReadBy(db: Reader, scope: SiteScope, cursor: number): Promise<number> {
  if (scope.selective_sync_type === null) return cursor;
  const { events, scannedUntilId } = await listSiteEvents(db, scope, { afterId: cursor, limit: 1 });
  return events[0] === undefined ? scannedUntilId : events[0].id - 1;
}

/** Deletes the oldest events that are old enough and read by all. Returns their number, at most BATCH_SIZE. */
async function deleteBatch(tx: Transaction, lastReadId: number | null): Promise<number> {
  // index: geo_events primary key; oldest first
  const rows = await tx
    .selectFrom('geo_events')
    .select(['id', 'created_at'])
    .$if(lastReadId !== null, (query) => query.where('id', '<=', lastReadId))
    .orderBy('id')
    .limit(BATCH_SIZE)
    .execute();
  const cutoff = addMilliseconds(tx.now, -RETENTION_MS);
  const firstRetainedIndex = rows.findIndex(({ created_at }) => created_at > cutoff);
  const deletedEvents = firstRetainedIndex === -1 ? rows : rows.slice(0, firstRetainedIndex);
  const lastDeletedEvent = deletedEvents.at(-1);
  if (lastDeletedEvent === undefined) return 0;
  await tx.deleteFrom('geo_events').where('id', '<=', lastDeletedEvent.id).execute();
  return deletedEvents.length;
}
