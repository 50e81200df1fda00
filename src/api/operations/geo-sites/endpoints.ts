import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, noContent, ok, page } from '#http/endpoint/responses.ts';
import { INVALID, NOT_FOUND } from '#http/errors/error-messages.ts';
import { optional, required } from '#http/parameters/declarations.ts';
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

/** Replication sites, under `/geo_sites` and the older `/geo_nodes` (contract/operations.md §3.1, §3.2). */

/** Defines the same endpoint under both paths. */
function forBothNames<Definition>(
  defineEndpoint: (api: GeoSiteApi) => Definition,
): readonly [forSites: Definition, forNodes: Definition] {
  return [defineEndpoint(GEO_SITE_APIS[0]), defineEndpoint(GEO_SITE_APIS[1])];
}

const commonParams = {
  internal_url: optional(string),
  enabled: optional(boolean),
  files_max_capacity: optional(integer),
  repos_max_capacity: optional(integer),
  verification_max_capacity: optional(integer),
  container_repositories_max_capacity: optional(integer),
  minimum_reverification_interval: optional(integer),
  sync_object_storage: optional(boolean),
  selective_sync_type: optional(string),
  selective_sync_shards: optional(commaSeparated(domainValidatedText(255))),
  selective_sync_namespace_ids: optional(commaSeparated(integer)),
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
    access: administratorAccess(),
    allowSiteToken: true,
    params: {
      name: required(domainValidatedText(255)),
      url: required(string),
      primary: optional(boolean),
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
    access: administratorAccess().resource(siteResource),
    allowSiteToken: true,
    // `refresh` is accepted and ignored: the response always has the latest report.
    params: { refresh: optional(boolean) },
    errors: { noStatus: [404, '404 Status for Geo site not found Not Found'] },
    response: ok(buildStatusEntity(api)),
    read: async (db, { site, base }) => (await findStatus(db, site, base)) ?? fail('noStatus'),
  }),
);

export const createGeoSiteCredentials = endpoint({
  post: '/geo_sites/:id/credentials',
  summary: 'Create new credentials for a secondary site',
  access: administratorAccess().resource(siteResource),
  allowSiteToken: true,
  errors: { isPrimary: [400, '400 Bad request - Primary site has no credentials'], notFound: NOT_FOUND },
  response: created(GeoSiteCredentials),
  async handle({ site, caller }, { runUnitOfWork, secretKey }) {
    const key = await secretKey();
    return runUnitOfWork(caller, (uow) => issueCredentials(uow, key, site.id));
  },
});
