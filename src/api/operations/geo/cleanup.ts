import type { Database, Reader, Transaction } from '#database/database.ts';
import { type SiteScope, siteScopeColumns } from '#domain/site-scope.ts';
import { defineJob } from '#jobs/job.ts';
import { addMilliseconds } from '#runtime/clock.ts';
import { deleteOrphanedChecksums } from '../replicables/index.ts';
import { listSiteEvents } from './events.ts';

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
