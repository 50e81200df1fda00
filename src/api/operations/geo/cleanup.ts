import type { Database, Reader, Transaction } from '#database/database.ts';
import { type SiteScope, siteScopeColumns } from '#domain/site-scope.ts';
import { defineJob } from '#jobs/job.ts';
import { addMilliseconds } from '#runtime/clock.ts';
import { deleteChecksums } from '../replicables/index.ts';
import { listSiteEvents } from './events.ts';

/** Minimum retention. Events are also retained until all enabled secondaries have read them. */
const RETENTION_MS = 24 * 3_600_000;
/** Events deleted in one transaction. */
const BATCH_SIZE = 1_000;

export const deleteOldEvents = defineJob({
  kind: 'geo_events',
  async handle({ database }: { readonly database: Database }) {
    const last = await findLastEventReadByAll(database.reader);
    for (let deletedCount = BATCH_SIZE; deletedCount === BATCH_SIZE; )
      deletedCount = await database.transaction((tx) => deleteBatch(tx, last));
    await deleteChecksums(database);
  },
});

export const deleteOldEventsHourly = { name: 'geo_events', cron: '35 * * * *', job: deleteOldEvents };

/** Returns the last event that all enabled secondaries have read; null if there is no secondary. */
async function findLastEventReadByAll(db: Reader): Promise<number | null> {
  // Few rows.
  const sites = await db
    .selectFrom('geo_sites')
    .leftJoin('geo_statuses', 'geo_statuses.site_id', 'geo_sites.id')
    .select([...siteScopeColumns, 'geo_statuses.cursor_last_event_id as cursor'])
    .where('is_primary', '=', false)
    .where('enabled', '=', true)
    .execute();
  const positions: number[] = [];
  for (const { cursor, ...scope } of sites) positions.push(await findLastEventReadBy(db, scope, cursor ?? 0));
  return positions.length === 0 ? null : Math.min(...positions);
}

/** Returns the id before the next event in the site's scope: the site skips all events up to it. */
async function findLastEventReadBy(db: Reader, scope: SiteScope, cursor: number): Promise<number> {
  if (scope.selective_sync_type === null) return cursor;
  const { events, until } = await listSiteEvents(db, scope, { afterId: cursor, limit: 1 });
  return events[0] === undefined ? until : events[0].id - 1;
}

async function deleteBatch(tx: Transaction, last: number | null): Promise<number> {
  // index: geo_events primary key; the oldest come first
  const rows = await tx
    .selectFrom('geo_events')
    .select(['id', 'created_at'])
    .$if(last !== null, (query) => query.where('id', '<=', last))
    .orderBy('id')
    .limit(BATCH_SIZE)
    .execute();
  const before = addMilliseconds(tx.now, -RETENTION_MS);
  const old = rows.findIndex(({ created_at }) => created_at > before);
  const deletedEvents = old === -1 ? rows : rows.slice(0, old);
  const end = deletedEvents.at(-1);
  if (end === undefined) return 0;
  await tx.deleteFrom('geo_events').where('id', '<=', end.id).execute();
  return deletedEvents.length;
}
