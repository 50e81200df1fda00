import { Type } from 'typebox';
import { INSTANCE_VERSION } from '#api/instance/version/index.ts';
import { NamespaceBasic } from '#api/namespaces/projects/index.ts';
import type { Reader } from '#database/database.ts';
import { namespaceColumns } from '#domain/namespaces/namespaces.ts';
import { entity, type SerializationContext } from '#http/endpoint/entity.ts';
import { dateTime, nullable, objectSchema } from '#http/endpoint/responses.ts';
import { buildSiteLinks, type GeoSiteApi } from './entities.ts';
import { getPrimaryStatus, hashStorageNames, type PrimaryStatus, toUnixSeconds } from './primary-status.ts';
import {
  buildReplicableValues,
  type Counts,
  formatPercentage,
  getHealth,
  REPLICABLE_FIELDS,
  type SiteWithStatus,
  type StoredStatus,
  WEEKLY_COUNT_NAMES,
} from './status.ts';
import { loadSiteNamespaces } from './store.ts';

const text = Type.String();
const count = nullable(Type.Integer());
const percentage = Type.String({ pattern: '^\\d+\\.\\d\\d%$' });

/** Returns the entity of a site's health and replication progress (contract/operations.md §3.2). */
export function buildStatusEntity(api: GeoSiteApi) {
  const fields = {
    geo_node_id: Type.Integer(),
    projects_count: count,
    container_repositories_replication_enabled: nullable(Type.Boolean()),
    ...REPLICABLE_FIELDS,
    git_fetch_event_count_weekly: count,
    git_push_event_count_weekly: count,
    proxy_remote_requests_event_count_weekly: count,
    proxy_local_requests_event_count_weekly: count,
    repositories_checked_in_percentage: percentage,
    replication_slots_used_in_percentage: percentage,
    repositories_count: count,
    replication_slots_count: count,
    replication_slots_used_count: count,
    healthy: Type.Boolean(),
    health: text,
    health_status: Type.Enum(['Healthy', 'Unhealthy']),
    missing_oauth_application: Type.Boolean(),
    db_replication_lag_seconds: count,
    replication_slots_max_retained_wal_bytes: count,
    repositories_checked_count: Type.Null(),
    repositories_checked_failed_count: Type.Null(),
    last_event_id: count,
    last_event_timestamp: Type.Integer(),
    cursor_last_event_id: count,
    cursor_last_event_timestamp: Type.Integer(),
    last_successful_status_check_timestamp: Type.Integer(),
    version: nullable(text),
    revision: nullable(text),
    selective_sync_type: nullable(Type.Enum(['namespaces', 'shards'])),
    namespaces: Type.Array(NamespaceBasic.schema),
    updated_at: dateTime,
    storage_shards_match: Type.Boolean(),
    _links:
      api.noun === 'site'
        ? objectSchema('GeoSiteStatusLinks', { self: text, site: text })
        : objectSchema('GeoNodeStatusLinks', { self: text, node: text }),
  };
  return entity(`${api.title}Status`, fields).from(
    loadStatusRelations,
    (row: SiteWithStatus, context, { namespacesBySite, statusBySite }) => {
      const { site } = row;
      const status = row.status ?? statusBySite.get(site.id)!;
      const { self, status: statusUrl } = buildSiteLinks(api, site, context);
      return {
        geo_node_id: site.id,
        ...toStatusValues(status, context),
        missing_oauth_application: !site.is_primary && site.oauth_application_id === null,
        selective_sync_type: site.selective_sync_type,
        namespaces: namespacesBySite.get(site.id) ?? [],
        storage_shards_match:
          site.is_primary ||
          status.storage_configuration_digest === hashStorageNames(Object.keys(context.git.storages)),
        _links: { self: statusUrl, [api.noun]: self } as never,
      };
    },
  );
}

function toStatusValues(status: StoredStatus | PrimaryStatus, context: SerializationContext) {
  const counts = JSON.parse(status.counts) as Counts;
  const getCount = (name: string) => (counts[name] as number | null | undefined) ?? null;
  const kinds = buildReplicableValues(counts);
  // Only the status of the primary has slots. They are its secondaries, not slots of a database.
  const slots = 'slots' in status ? status.slots : null;
  const replicatesContainers = counts.container_repositories_replication_enabled as boolean | null | undefined;
  return {
    projects_count: getCount('projects_count'),
    container_repositories_replication_enabled: slots === null ? (replicatesContainers ?? false) : null,
    ...kinds,
    ...(Object.fromEntries(WEEKLY_COUNT_NAMES.map((name) => [name, getCount(name)])) as Record<
      (typeof WEEKLY_COUNT_NAMES)[number],
      number | null
    >),
    // Hearth has no scheduled repository checks.
    repositories_checked_in_percentage: formatPercentage(null, null),
    replication_slots_used_in_percentage: formatPercentage(slots?.used ?? null, slots?.count ?? null),
    repositories_count: kinds.project_repositories_count as number | null,
    replication_slots_count: slots?.count ?? null,
    replication_slots_used_count: slots?.used ?? null,
    ...getHealth(status, context.now),
    db_replication_lag_seconds: status.db_replication_lag_seconds,
    replication_slots_max_retained_wal_bytes: slots === null ? null : 0,
    repositories_checked_count: null,
    repositories_checked_failed_count: null,
    last_event_id: status.last_event_id,
    last_event_timestamp: status.last_event_timestamp ?? 0,
    cursor_last_event_id: status.cursor_last_event_id,
    cursor_last_event_timestamp: status.cursor_last_event_timestamp ?? 0,
    last_successful_status_check_timestamp: toUnixSeconds(status.last_successful_status_check_at),
    version: status.version,
    revision: status.revision,
    updated_at: status.updated_at,
  };
}

/** Loads the namespaces in the scopes of the sites, and the current status of this server if it is listed. */
async function loadStatusRelations(rows: readonly SiteWithStatus[], context: SerializationContext) {
  const ownSiteIds = rows.filter(({ status }) => status === null).map(({ site }) => site.id);
  const { apiVersion: version, revision } = INSTANCE_VERSION;
  const storageNames = Object.keys(context.git.storages);
  const statuses = ownSiteIds.map((siteId) =>
    getPrimaryStatus(context.db, { siteId, now: context.now, storages: storageNames, version, revision }),
  );
  return {
    namespacesBySite: await loadNamespacesBySite(
      context,
      rows.map(({ site }) => site.id),
    ),
    statusBySite: new Map((await Promise.all(statuses)).map((status) => [status.site_id, status])),
  };
}

async function loadNamespacesBySite(context: SerializationContext, siteIds: readonly number[]) {
  const idsBySite = await loadSiteNamespaces(context.db, siteIds);
  const ids = [...new Set([...idsBySite.values()].flat())];
  const rows = ids.length === 0 ? [] : await loadNamespaces(context.db, ids);
  const serializedById = new Map(rows.map((row) => [row.id, NamespaceBasic.serialize(row, context)]));
  const serialize = (namespaceIds: readonly number[]) => namespaceIds.flatMap((id) => serializedById.get(id) ?? []);
  return new Map([...idsBySite].map(([siteId, namespaceIds]) => [siteId, serialize(namespaceIds)]));
}

function loadNamespaces(db: Reader, ids: readonly number[]) {
  // index: namespaces primary key, routes_by_namespace
  return db
    .selectFrom('namespaces')
    .innerJoin('routes', 'routes.namespace_id', 'namespaces.id')
    .select(namespaceColumns)
    .where('namespaces.id', 'in', ids)
    .execute();
}
