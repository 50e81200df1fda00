import { Type } from 'typebox';
import { parseShards } from '#domain/site-scope.ts';
import { entity, type SerializationContext } from '#http/endpoint/entity.ts';
import { nullable, objectSchema } from '#http/endpoint/responses.ts';
import { findStoredStatus, getHealth, type Health } from './status.ts';
import { getInternalUrl, isThisServer, loadSiteNamespaces, type Site } from './store.ts';

/** One of the two API names of sites: `geo_sites`, or the older `geo_nodes`. */
export interface GeoSiteApi {
  readonly path: '/geo_sites' | '/geo_nodes';
  readonly noun: 'site' | 'node';
  /** Prefix of the entity names. */
  readonly title: 'GeoSite' | 'GeoNode';
}

export const GEO_SITE_APIS = [
  { path: '/geo_sites', noun: 'site', title: 'GeoSite' },
  { path: '/geo_nodes', noun: 'node', title: 'GeoNode' },
] as const satisfies readonly GeoSiteApi[];

const text = Type.String();
const integer = Type.Integer();

const siteFields = {
  id: integer,
  name: text,
  url: text,
  internal_url: text,
  primary: Type.Boolean(),
  enabled: Type.Boolean(),
  current: Type.Boolean({ description: 'Whether the site is the one that answers.' }),
  files_max_capacity: integer,
  repos_max_capacity: integer,
  verification_max_capacity: integer,
  container_repositories_max_capacity: integer,
  selective_sync_type: nullable(Type.Enum(['namespaces', 'shards'])),
  selective_sync_shards: Type.Array(text),
  selective_sync_namespace_ids: Type.Array(integer),
  minimum_reverification_interval: Type.Integer({ description: 'In days.' }),
  /** Only secondaries have this field and `web_geo_replication_details_url`. */
  sync_object_storage: Type.Optional(Type.Boolean()),
  web_edit_url: text,
  web_geo_replication_details_url: Type.Optional(text),
};

const cloneProtocol = Type.Optional(Type.Literal('http'));

type NamespacesBySite = Awaited<ReturnType<typeof loadSiteNamespaces>>;

const loadNamespaces = (sites: readonly Site[], { db }: SerializationContext): Promise<NamespacesBySite> =>
  loadSiteNamespaces(
    db,
    sites.map(({ id }) => id),
  );

function toSiteValues(site: Site, context: SerializationContext, namespacesBySite: NamespacesBySite) {
  return {
    internal_url: getInternalUrl(site),
    primary: site.is_primary,
    current: isThisServer(site, context),
    selective_sync_shards: parseShards(site),
    selective_sync_namespace_ids: [...(namespacesBySite.get(site.id) ?? [])],
    ...(site.is_primary ? {} : { sync_object_storage: site.sync_object_storage }),
    web_edit_url: `${context.url}/admin/geo/sites/${site.id}/edit`,
    ...(site.is_primary
      ? {}
      : { web_geo_replication_details_url: `${site.url}admin/geo/sites/${site.id}/replication/lfs_objects` }),
  };
}

/** Returns the API URLs of a site under one of the two names. */
export const buildSiteLinks = (
  { path }: GeoSiteApi,
  { id }: Pick<Site, 'id'>,
  { url }: Pick<SerializationContext, 'url'>,
) => {
  const self = `${url}/api/v4${path}/${id}`;
  return { self, status: `${self}/status`, repair: `${self}/repair` };
};

/** Returns the entity of a site under one of the two names; the older one also has `clone_protocol`. */
export function buildSiteEntity(api: GeoSiteApi) {
  const cloneProtocolField = (api.noun === 'node' ? { clone_protocol: cloneProtocol } : {}) as {
    clone_protocol: typeof cloneProtocol;
  };
  const fields = {
    ...siteFields,
    ...cloneProtocolField,
    _links: objectSchema(`${api.title}Links`, { self: text, status: text, repair: text }),
  };
  return entity(api.title, fields)
    .columns(
      'id',
      'name',
      'url',
      'enabled',
      'files_max_capacity',
      'repos_max_capacity',
      'verification_max_capacity',
      'container_repositories_max_capacity',
      'selective_sync_type',
      'minimum_reverification_interval',
    )
    .from(loadNamespaces, (site: Site, context, namespaces) => ({
      ...toSiteValues(site, context, namespaces),
      ...(api.noun === 'node' && { clone_protocol: 'http' as const }),
      _links: buildSiteLinks(api, site, context),
    }));
}

/** Returns the entity of a created site. It has `sync_object_storage` for a primary too. */
export function buildCreatedSiteEntity(api: GeoSiteApi) {
  const BaseSite = buildSiteEntity(api);
  return entity(`Created${api.title}`, { ...BaseSite.schema.properties, sync_object_storage: Type.Boolean() }).from(
    async (sites: readonly Site[], context) => {
      const serialized = await BaseSite.serializeAll(sites, context);
      return new Map(sites.map((site, index) => [site, serialized[index]!]));
    },
    (site, _context, serializedBySite) => ({
      ...serializedBySite.get(site)!,
      sync_object_storage: site.sync_object_storage,
    }),
  );
}

/** Returns the entity of a repaired site, which also has its health. */
export function buildRepairedSiteEntity(api: GeoSiteApi) {
  const BaseSite = buildSiteEntity(api);
  return entity(`Repaired${api.title}`, {
    ...BaseSite.schema.properties,
    geo_node_id: integer,
    missing_oauth_application: Type.Boolean(),
    healthy: Type.Boolean(),
    health: text,
    health_status: Type.Enum(['Healthy', 'Unhealthy']),
  }).from(
    async (sites: readonly Site[], context) => {
      const serialized = await BaseSite.serializeAll(sites, context);
      const healths = await Promise.all(sites.map((site) => getSiteHealth(site, context)));
      return new Map(sites.map((site, index) => [site, { serialized: serialized[index]!, health: healths[index]! }]));
    },
    (site, _context, relationsBySite) => {
      const { serialized, health } = relationsBySite.get(site)!;
      const missing_oauth_application = !site.is_primary && site.oauth_application_id === null;
      return { ...serialized, geo_node_id: site.id, missing_oauth_application, ...health };
    },
  );
}

async function getSiteHealth(site: Site, context: SerializationContext): Promise<Health> {
  if (site.is_primary && isThisServer(site, context))
    return { healthy: true, health: 'Healthy', health_status: 'Healthy' };
  return getHealth(await findStoredStatus(context.db, site.id), context.now);
}

export const GeoSiteCredentials = entity('GeoSiteCredentials', { access_key: text, secret_access_key: text }).columns();
