import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, noContent, ok, page } from '#http/endpoint/responses.ts';
import { INVALID, NOT_FOUND } from '#http/errors/error-messages.ts';
import { describe, optional, required } from '#http/parameters/declarations.ts';
import { domainValidatedText, string } from '#http/parameters/texts.ts';
import { boolean, commaSeparated, integer } from '#http/parameters/types.ts';
import { type FieldErrors, fail, invalid } from '#runtime/failure.ts';
import { administratorAccess, administratorOrSiteAccess, siteResource } from './access.ts';
import {
  buildCreatedSiteEntity,
  buildRepairedSiteEntity,
  buildSiteEntity,
  GEO_SITE_APIS,
  type GeoSiteApi,
  GeoSiteCredentials,
} from './entities.ts';
import { createSite, deleteSiteApplication, repairSite, updateSite } from './save.ts';
import { findStatus, listStatuses } from './status.ts';
import { buildStatusEntity } from './status-entity.ts';
import { deleteSite, issueCredentials, listSites } from './store.ts';

// Replication sites, under `/geo_sites` and the older `/geo_nodes` (contract/operations.md §3.1, §3.2).

/** Defines the same endpoint under both paths. */
function forBothNames<Definition>(
  defineEndpoint: (api: GeoSiteApi) => Definition,
): readonly [forSites: Definition, forNodes: Definition] {
  return [defineEndpoint(GEO_SITE_APIS[0]), defineEndpoint(GEO_SITE_APIS[1])];
}

const commonParams = {
  internal_url: describe(optional(string), 'The URL that secondaries use to reach the site; by default `url`.'),
  enabled: describe(optional(boolean), 'Whether the site replicates; a primary is always enabled.'),
  files_max_capacity: describe(optional(integer), 'The number of blobs that are copied at the same time; 0 pauses.'),
  repos_max_capacity: describe(
    optional(integer),
    'The number of repositories that are copied at the same time; 0 pauses.',
  ),
  verification_max_capacity: describe(optional(integer), 'The number of objects that are verified at the same time.'),
  container_repositories_max_capacity: describe(
    optional(integer),
    'Stored for compatibility; container repositories do not exist here.',
  ),
  minimum_reverification_interval: describe(
    optional(integer),
    'The number of days after which a verified object is verified again.',
  ),
  sync_object_storage: describe(optional(boolean), 'Stored for compatibility; it has no effect.'),
  selective_sync_type: describe(
    optional(string),
    'Copies only selected `namespaces` or `shards` (storages); null or an empty text copies all.',
  ),
  selective_sync_shards: describe(
    optional(commaSeparated(domainValidatedText(255))),
    'The names of the storages to copy.',
  ),
  selective_sync_namespace_ids: describe(
    optional(commaSeparated(integer)),
    'The ids of the groups to copy with their descendants; the list replaces the previous one.',
  ),
};

const siteErrors = { invalid: INVALID, notFound: NOT_FOUND } as const;

/** Errors of a site that was created concurrently. They equal the validation errors of a later duplicate. */
const siteUniqueErrors = {
  geo_sites_by_name: invalid({ name: ['has already been taken'] } satisfies FieldErrors),
  geo_sites_primary: invalid({ primary: ['node already exists'] } satisfies FieldErrors),
};

export const [createGeoSite, createGeoNode] = forBothNames((api) =>
  endpoint({
    post: api.path,
    summary: 'Add a replication site',
    description:
      'Adds the primary or a secondary; there can be only one primary. A secondary gets an OAuth application of its own. The secondary itself authenticates with credentials that are created separately.',
    access: administratorAccess(),
    allowSiteToken: true,
    params: {
      name: describe(
        required(domainValidatedText(255)),
        'The unique name; it must equal `HEARTH_SITE_NAME` of the site, or its external URL.',
      ),
      url: required(string),
      primary: describe(optional(boolean), 'Whether the site is the primary, of which there is at most one.'),
      ...commonParams,
    },
    errors: siteErrors,
    uniqueErrors: siteUniqueErrors,
    response: created(buildCreatedSiteEntity(api)),
    write: (uow, { params, base }) => createSite(uow, params, base),
  }),
);

export const [listGeoSites, listGeoNodes] = forBothNames((api) =>
  endpoint({
    get: api.path,
    summary: 'List replication sites',
    description: 'Returns all sites ordered by id. A new instance has none.',
    access: administratorAccess(),
    allowSiteToken: true,
    response: page(buildSiteEntity(api)),
    read: (db, { page }) => listSites(db, page),
  }),
);

export const [listGeoSiteStatuses, listGeoNodeStatuses] = forBothNames((api) =>
  endpoint({
    get: `${api.path}/status`,
    summary: 'List site statuses',
    description:
      'Returns the statuses that sites have reported, ordered by site. The status of the current site is computed on request, at most once a minute. Sites that have never reported are missing.',
    access: administratorAccess(),
    allowSiteToken: true,
    response: page(buildStatusEntity(api)),
    read: (db, { base, page }) => listStatuses(db, base, page),
  }),
);

export const [getGeoSite, getGeoNode] = forBothNames((api) =>
  endpoint({
    get: `${api.path}/:id`,
    summary: 'Get a replication site',
    description: 'Returns the settings of the site. `current` says whether it is the site that answers the request.',
    access: administratorAccess().resource(siteResource),
    allowSiteToken: true,
    response: ok(buildSiteEntity(api)),
    read: (_db, { site }) => site,
  }),
);

export const [updateGeoSite, updateGeoNode] = forBothNames((api) =>
  endpoint({
    put: `${api.path}/:id`,
    summary: 'Update a replication site',
    description:
      'Changes the settings that the request contains; `primary` cannot change. A secondary may call this with its own token, but only to change its `enabled`. A disabled secondary stops replication and continues from the same event when it is enabled again.',
    access: administratorOrSiteAccess(),
    allowSiteToken: true,
    params: { name: optional(domainValidatedText(255)), url: optional(string), ...commonParams },
    errors: siteErrors,
    uniqueErrors: siteUniqueErrors,
    response: ok(buildSiteEntity(api)),
    // A site may change only its own field `enabled`.
    write: (uow, { site, params, base }) =>
      updateSite(uow, site.id, uow.actor.site === undefined ? params : { enabled: params.enabled }, base),
  }),
);

export const [deleteGeoSite, deleteGeoNode] = forBothNames((api) =>
  endpoint({
    delete: `${api.path}/:id`,
    summary: 'Delete a replication site',
    description:
      'Deletes the site with its credentials, its status and its OAuth application. The data of the secondary stays there, but replication ends.',
    access: administratorAccess().resource(siteResource),
    allowSiteToken: true,
    errors: { notFound: NOT_FOUND },
    response: noContent,
    async write(uow, { site }) {
      if (!(await deleteSite(uow, site.id))) return fail('notFound');
      return deleteSiteApplication(uow, site);
    },
  }),
);

export const [repairGeoSite, repairGeoNode] = forBothNames((api) =>
  endpoint({
    post: `${api.path}/:id/repair`,
    summary: 'Repair the OAuth application of a site',
    description:
      'Creates the OAuth application of a secondary again if it is missing. Otherwise, and for the primary, nothing changes. Returns the site with its health.',
    access: administratorAccess().resource(siteResource),
    allowSiteToken: true,
    errors: siteErrors,
    response: ok(buildRepairedSiteEntity(api)),
    write: (uow, { site, base }) => repairSite(uow, site.id, base),
  }),
);

export const [getGeoSiteStatus, getGeoNodeStatus] = forBothNames((api) =>
  endpoint({
    get: `${api.path}/:id/status`,
    summary: 'Get the status of a replication site',
    description:
      'Returns the last report of the site; for the current site, values that are at most a minute old. The response is 404 until a site has reported.',
    access: administratorAccess().resource(siteResource),
    allowSiteToken: true,
    // `refresh` is accepted and ignored: the response always has the latest report.
    params: {
      refresh: describe(optional(boolean), 'Accepted for compatibility; the latest report is always returned.'),
    },
    errors: { noStatus: [404, '404 Status for Geo site not found Not Found'] },
    response: ok(buildStatusEntity(api)),
    read: async (db, { site, base }) => (await findStatus(db, site, base)) ?? fail('noStatus'),
  }),
);

export const createGeoSiteCredentials = endpoint({
  post: '/geo_sites/:id/credentials',
  summary: 'Create new credentials for a secondary site',
  description:
    'Returns a new pair of access key and secret, with which the secondary signs its requests. The old pair stops working immediately. The secret is not returned again.',
  access: administratorAccess().resource(siteResource),
  allowSiteToken: true,
  errors: { isPrimary: [400, '400 Bad request - Primary site has no credentials'], notFound: NOT_FOUND },
  response: created(GeoSiteCredentials),
  async handle({ site, caller }, { runUnitOfWork, secretKey }) {
    const key = await secretKey();
    return runUnitOfWork(caller, (uow) => issueCredentials(uow, key, site.id));
  },
});
