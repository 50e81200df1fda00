import type { Database, Reader, Transaction } from '#database/database.ts';
import { type SiteScope, siteScopeColumns } from '#domain/site-scope.ts';
import { defineJob } from '#jobs/job.ts';
import { addMilliseconds } from '#runtime/clock.ts';
import { deleteChecksums } from '../replicables/index.ts';
import { readEvents } from './events.ts';

/** Events are kept until every site that follows has heard of them, and at least so long. */
const KEPT_FOR_MS = 24 * 3_600_000;
/** So many go in one transaction. */
const PIECE = 1_000;

export const deleteOldEvents = defineJob({
  kind: 'geo_events',
  async handle({ database }: { readonly database: Database }) {
    const last = await heardByAll(database.reader);
    for (let gone = PIECE; gone === PIECE; ) gone = await database.transaction((tx) => forgetSome(tx, last));
    await deleteChecksums(database);
  },
});

export const deleteOldEventsHourly = { name: 'geo_events', cron: '35 * * * *', job: deleteOldEvents };

/** The last event that every enabled secondary has heard of; null: there is none, and nobody to wait for. */
async function heardByAll(db: Reader): Promise<number | null> {
  // Few rows.
  const sites = await db
    .selectFrom('geo_sites')
    .leftJoin('geo_statuses', 'geo_statuses.site_id', 'geo_sites.id')
    .select([...siteScopeColumns, 'geo_statuses.cursor_last_event_id as cursor'])
    .where('is_primary', '=', false)
    .where('enabled', '=', true)
    .execute();
  const heard: number[] = [];
  for (const { cursor, ...scope } of sites) heard.push(await heardBy(db, scope, cursor ?? 0));
  return heard.length === 0 ? null : Math.min(...heard);
}

/** What lies between the last event that the site has heard of and the next one that concerns it, it need not hear of. */
async function heardBy(db: Reader, scope: SiteScope, cursor: number): Promise<number> {
  if (scope.selective_sync_type === null) return cursor;
  const { events, until } = await readEvents(db, scope, { afterId: cursor, limit: 1 });
  return events[0] === undefined ? until : events[0].id - 1;
}

async function forgetSome(tx: Transaction, last: number | null): Promise<number> {
  // index: geo_events primary key; the oldest come first
  const rows = await tx
    .selectFrom('geo_events')
    .select(['id', 'created_at'])
    .$if(last !== null, (query) => query.where('id', '<=', last))
    .orderBy('id')
    .limit(PIECE)
    .execute();
  const before = addMilliseconds(tx.now, -KEPT_FOR_MS);
  const old = rows.findIndex(({ created_at }) => created_at > before);
  const gone = old === -1 ? rows : rows.slice(0, old);
  const end = gone.at(-1);
  if (end === undefined) return 0;
  await tx.deleteFrom('geo_events').where('id', '<=', end.id).execute();
  return gone.length;
}
