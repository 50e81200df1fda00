import type { Selectable } from 'kysely';
import { type TSchema, Type } from 'typebox';
import type { Reader, Transaction } from '#database/database.ts';
import { type Page, paginate } from '#database/page.ts';
import type { Schema } from '#database/schema.ts';
import { nullable } from '#http/endpoint/responses.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import type { ServerContext } from '#http/request/incoming.ts';
import { addMilliseconds } from '#runtime/clock.ts';
import { trimEndCharacters } from '#text/trim.ts';
import { isThisServer, type Site, siteColumns } from './store.ts';

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

/** Returns the status that the site has reported last, or null. */
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

// Field names and schemas of the status of a site (contract/operations.md §3.2).

/** All kinds of objects that sites copy, including those that Hearth does not have. */
export const REPLICABLE_KINDS = [
  'lfs_objects',
  'merge_request_diffs',
  'package_files',
  'terraform_state_versions',
  'snippet_repositories',
  'group_wiki_repositories',
  'pipeline_artifacts',
  'pages_deployments',
  'uploads',
  'job_artifacts',
  'ci_secure_files',
  'container_repositories',
  'dependency_proxy_blobs',
  'dependency_proxy_manifests',
  'project_wiki_repositories',
  'project_repositories',
  'design_management_repositories',
  'packages_nuget_symbols',
  'packages_helm_metadata_caches',
  'supply_chain_attestations',
] as const;

/** Suffixes of the counts per kind that a secondary reports: `lfs_objects_synced_count`. */
export const SECONDARY_COUNT_SUFFIXES = [
  'synced_count',
  'failed_count',
  'registry_count',
  'verification_total_count',
  'verified_count',
  'verification_failed_count',
] as const;

/** Suffixes of the counts per kind that only the primary has. */
const PRIMARY_COUNT_SUFFIXES = ['checksum_total_count', 'checksummed_count', 'checksum_failed_count'] as const;

/** Names of the counts of a secondary that do not belong to a kind. */
export const WEEKLY_COUNT_NAMES = [
  'git_fetch_event_count_weekly',
  'git_push_event_count_weekly',
  'proxy_remote_requests_event_count_weekly',
  'proxy_local_requests_event_count_weekly',
] as const;

/** Name of a count of one kind. */
type CountName = `${(typeof REPLICABLE_KINDS)[number]}_${string}`;

const count = nullable(Type.Integer());
const percentage = Type.String({ pattern: '^\\d+\\.\\d\\d%$' });

/** Schemas of the fields of all kinds. */
export const REPLICABLE_FIELDS: Readonly<Record<CountName, TSchema>> = Object.fromEntries(
  REPLICABLE_KINDS.flatMap((kind) => [
    [`${kind}_count`, count],
    ...[...PRIMARY_COUNT_SUFFIXES, ...SECONDARY_COUNT_SUFFIXES].map((suffix) => [`${kind}_${suffix}`, count] as const),
    [`${kind}_synced_in_percentage`, percentage],
    [`${kind}_verified_in_percentage`, percentage],
  ]),
);

/** Formats `part` of `total` as `33.33%`; `0.00%` if `total` is 0 or null. */
export function formatPercentage(part: number | null, total: number | null): string {
  return `${(total ? ((part ?? 0) / total) * 100 : 0).toFixed(2)}%`;
}

/** Reported counts and flags by name; null: not counted. */
export type Counts = Readonly<Record<string, number | boolean | null | undefined>>;

/** Returns the values of `REPLICABLE_FIELDS` for these counts. */
export function buildReplicableValues(counts: Counts): Record<CountName, number | string | null> {
  const getCount = (name: string) => (counts[name] as number | null | undefined) ?? null;
  return Object.fromEntries(
    REPLICABLE_KINDS.flatMap((kind) => {
      const registryCount = getCount(`${kind}_registry_count`);
      const names = [...PRIMARY_COUNT_SUFFIXES, ...SECONDARY_COUNT_SUFFIXES].map((suffix) => `${kind}_${suffix}`);
      return [
        // Stored reports of secondaries have no `_count`. The registry of a secondary has a row per object.
        [`${kind}_count`, getCount(`${kind}_count`) ?? registryCount],
        ...names.map((name) => [name, getCount(name)] as const),
        [`${kind}_synced_in_percentage`, formatPercentage(getCount(`${kind}_synced_count`), registryCount)],
        [`${kind}_verified_in_percentage`, formatPercentage(getCount(`${kind}_verified_count`), registryCount)],
      ];
    }),
  );
}
