import type { Selectable } from 'kysely';
import type { Reader, Transaction } from '#database/database.ts';
import { type Page, paginate } from '#database/page.ts';
import type { Schema } from '#database/schema.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import type { ServerContext } from '#http/request/incoming.ts';
import { addMilliseconds } from '#runtime/clock.ts';
import { trimEndCharacters } from '#text/trim.ts';
import { isThisServer, type Site } from './site.ts';
import { siteColumns } from './store.ts';

/** Status that a secondary has reported. The primary's is computed on request. */
export type StoredStatus = Selectable<Schema['geo_statuses']>;

/** A site with its status. The status is null for this server, whose status is computed during serialization. */
export interface SiteWithStatus {
  readonly site: Site;
  readonly status: StoredStatus | null;
}

/** Returns the status of a site; null if it has not reported one yet. */
export async function findStatus(db: Reader, site: Site, serverContext: ServerContext): Promise<SiteWithStatus | null> {
  if (site.is_primary && isThisServer(site, serverContext)) return { site, status: null };
  const status = await findStoredStatus(db, site.id);
  return status === null ? null : { site, status };
}

export async function findStoredStatus(db: Reader, siteId: number): Promise<StoredStatus | null> {
  // index: geo_statuses primary key
  const row = await db.selectFrom('geo_statuses').selectAll().where('site_id', '=', siteId).executeTakeFirst();
  return row ?? null;
}

/** Returns a page of the sites that have a status: those that reported one, and this server if it is the primary. */
export async function listStatuses(
  db: Reader,
  serverContext: ServerContext,
  page: OffsetRequest,
): Promise<Page<SiteWithStatus>> {
  const ownSiteName = trimEndCharacters(serverContext.siteName, '/');
  // index: geo_sites primary key, geo_statuses primary key
  const sites = db
    .selectFrom('geo_sites')
    .leftJoin('geo_statuses', 'geo_statuses.site_id', 'geo_sites.id')
    .select(siteColumns)
    .where((eb) =>
      eb.or([
        eb('geo_statuses.site_id', 'is not', null),
        eb.and([eb('geo_sites.is_primary', '=', true), eb('geo_sites.name', 'in', [ownSiteName, `${ownSiteName}/`])]),
      ]),
    );
  const result = await paginate(db, sites.orderBy('geo_sites.id', 'asc'), page);
  const ids = result.items.map(({ id }) => id);
  // index: geo_statuses primary key
  const statuses =
    ids.length === 0 ? [] : await db.selectFrom('geo_statuses').selectAll().where('site_id', 'in', ids).execute();
  const statusesBySiteId = new Map(statuses.map((status) => [status.site_id, status]));
  const isOwnSite = (site: Site) => site.is_primary && isThisServer(site, serverContext);
  return {
    ...result,
    items: result.items.map((site) => ({
      site,
      status: isOwnSite(site) ? null : (statusesBySiteId.get(site.id) ?? null),
    })),
  };
}

/** Stores the reported status of a site and replaces the previous one. */
export async function storeStatus(
  tx: Transaction,
  report: Omit<StoredStatus, 'updated_at' | 'last_successful_status_check_at'>,
): Promise<StoredStatus> {
  const { site_id, ...columns } = { ...report, last_successful_status_check_at: tx.now, updated_at: tx.now };
  return tx
    .insertInto('geo_statuses')
    .values({ site_id, ...columns })
    .onConflict((conflict) => conflict.column('site_id').doUpdateSet(columns))
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Maximum age of the last report of a healthy site, in milliseconds. */
const MAX_REPORT_AGE_MS = 3_600_000;

export interface Health {
  readonly healthy: boolean;
  readonly health: string;
  readonly health_status: 'Healthy' | 'Unhealthy';
}

/** Returns the health of a site: healthy if the last report is at most an hour old and has no error message. */
export function getHealth(status: StoredStatus | null, now: string): Health {
  const message = status?.status_message ?? '';
  const isRecent =
    status !== null && status.last_successful_status_check_at >= addMilliseconds(now, -MAX_REPORT_AGE_MS);
  const healthy = isRecent && ['', 'Healthy'].includes(message);
  return { healthy, health: healthy ? 'Healthy' : message, health_status: healthy ? 'Healthy' : 'Unhealthy' };
}
