import { Type } from 'typebox';
import { parseShards } from '#domain/site-scope.ts';
import { entity, type SerializationContext } from '#http/endpoint/entity.ts';
import { nullable, shape } from '#http/endpoint/responses.ts';
import type { SiteCredentials } from './credentials.ts';
import { internalUrl, isHere, type Site } from './site.ts';
import { type Health, healthOf, storedStatus } from './status.ts';
import { heldNamespaces } from './store.ts';

/** The two names that sites have on the wire: that of today and the one before. */
export interface Root {
  readonly path: '/geo_sites' | '/geo_nodes';
  readonly noun: 'site' | 'node';
  /** Of the entities' names. */
  readonly title: 'GeoSite' | 'GeoNode';
}

export const ROOTS = [
  { path: '/geo_sites', noun: 'site', title: 'GeoSite' },
  { path: '/geo_nodes', noun: 'node', title: 'GeoNode' },
] as const satisfies readonly Root[];

const text = Type.String();
const count = Type.Integer();

const siteFields = {
  id: count,
  name: text,
  url: text,
  internal_url: text,
  primary: Type.Boolean(),
  enabled: Type.Boolean(),
  current: Type.Boolean(),
  files_max_capacity: count,
  repos_max_capacity: count,
  verification_max_capacity: count,
  container_repositories_max_capacity: count,
  selective_sync_type: nullable(Type.Enum(['namespaces', 'shards'])),
  selective_sync_shards: Type.Array(text),
  selective_sync_namespace_ids: Type.Array(count),
  minimum_reverification_interval: count,
  /** The next two of secondaries. */
  sync_object_storage: Type.Optional(Type.Boolean()),
  web_edit_url: text,
  web_geo_replication_details_url: Type.Optional(text),
};

const cloneProtocol = Type.Optional(Type.Literal('http'));

type Held = Awaited<ReturnType<typeof heldNamespaces>>;

const heldBy = (sites: readonly Site[], { db }: SerializationContext): Promise<Held> =>
  heldNamespaces(
    db,
    sites.map(({ id }) => id),
  );

function siteValues(site: Site, to: SerializationContext, held: Held) {
  return {
    id: site.id,
    name: site.name,
    url: site.url,
    internal_url: internalUrl(site),
    primary: site.is_primary,
    enabled: site.enabled,
    current: isHere(site, to),
    files_max_capacity: site.files_max_capacity,
    repos_max_capacity: site.repos_max_capacity,
    verification_max_capacity: site.verification_max_capacity,
    container_repositories_max_capacity: site.container_repositories_max_capacity,
    selective_sync_type: site.selective_sync_type,
    selective_sync_shards: parseShards(site),
    selective_sync_namespace_ids: [...(held.get(site.id) ?? [])],
    minimum_reverification_interval: site.minimum_reverification_interval,
    ...(site.is_primary ? {} : { sync_object_storage: site.sync_object_storage }),
    web_edit_url: `${to.url}/admin/geo/sites/${site.id}/edit`,
    ...(site.is_primary
      ? {}
      : { web_geo_replication_details_url: `${site.url}admin/geo/sites/${site.id}/replication/lfs_objects` }),
  };
}

/** Where a site is, and what it is asked for, by this name. */
export const linksOf = ({ path }: Root, { id }: Pick<Site, 'id'>, { url }: Pick<SerializationContext, 'url'>) => {
  const self = `${url}/api/v4${path}/${id}`;
  return { self, status: `${self}/status`, repair: `${self}/repair` };
};

/** A site by one of its names; the older one tells how it is cloned from, too. */
export function siteEntity(root: Root) {
  const clone = (root.noun === 'node' ? { clone_protocol: cloneProtocol } : {}) as {
    clone_protocol: typeof cloneProtocol;
  };
  const fields = {
    ...siteFields,
    ...clone,
    _links: shape(`${root.title}Links`, { self: text, status: text, repair: text }),
  };
  return entity(root.title, fields).from(heldBy, (site: Site, to, held) => ({
    ...siteValues(site, to, held),
    ...(root.noun === 'node' && { clone_protocol: 'http' as const }),
    _links: linksOf(root, site, to),
  }));
}

/** What is answered once it is made: of a primary, too, how it stands by object storage. */
export function createdSiteEntity(root: Root) {
  const Shown = siteEntity(root);
  return entity(`Created${root.title}`, { ...Shown.schema.properties, sync_object_storage: Type.Boolean() }).from(
    async (sites: readonly Site[], to) => {
      const shown = await Shown.serializeAll(sites, to);
      return new Map(sites.map((site, at) => [site, shown[at]!]));
    },
    (site, _to, shown) => ({ ...shown.get(site)!, sync_object_storage: site.sync_object_storage }),
  );
}

/** What a repair shows besides: how the site is. */
export function repairedSiteEntity(root: Root) {
  const Shown = siteEntity(root);
  return entity(`Repaired${root.title}`, {
    ...Shown.schema.properties,
    geo_node_id: count,
    missing_oauth_application: Type.Boolean(),
    healthy: Type.Boolean(),
    health: text,
    health_status: Type.Enum(['Healthy', 'Unhealthy']),
  }).from(
    async (sites: readonly Site[], to) => {
      const shown = await Shown.serializeAll(sites, to);
      const states = await Promise.all(sites.map((site) => healthOfSite(site, to)));
      return new Map(sites.map((site, at) => [site, { shown: shown[at]!, health: states[at]! }]));
    },
    (site, _to, all) => {
      const { shown, health } = all.get(site)!;
      const missing_oauth_application = !site.is_primary && site.oauth_application_id === null;
      return { ...shown, geo_node_id: site.id, missing_oauth_application, ...health };
    },
  );
}

async function healthOfSite(site: Site, to: SerializationContext): Promise<Health> {
  if (site.is_primary && isHere(site, to)) return { healthy: true, health: 'Healthy', health_status: 'Healthy' };
  return healthOf(await storedStatus(to.db, site.id), to.now);
}

export const GeoSiteCredentials = entity('GeoSiteCredentials', { access_key: text, secret_access_key: text }).from(
  (issued: SiteCredentials) => issued,
);
