import { Type } from 'typebox';
import type { Caller, CallerSite } from '#authentication/caller.ts';
import { openBlob } from '#blobs/store.ts';
import { type Access, access } from '#http/access/access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { entity } from '#http/endpoint/entity.ts';
import { created, dateTime, list, nullable, objectSchema, ok, stream } from '#http/endpoint/responses.ts';
import { FORBIDDEN } from '#http/errors/error-messages.ts';
import { unauthorized } from '#http/errors/http-error.ts';
import { perPage } from '#http/lists/pagination.ts';
import { describe, optional, required } from '#http/parameters/declarations.ts';
import { integer, oneOf } from '#http/parameters/types.ts';
import { fail } from '#runtime/failure.ts';
import {
  buildSiteEntity,
  buildStatusEntity,
  findPrimary,
  findSite,
  GEO_SITE_APIS,
  requireApiScope,
  type Site,
} from '../geo-sites/index.ts';
import {
  enqueueChecksums,
  loadReplicables,
  REPLICABLE_NAMES,
  type Replicable as ReplicableRow,
} from '../replicables/index.ts';
import { findSiteScope, listSiteEvents, type SiteEvent } from './events.ts';
import { statusReportParams, storeReport } from './status-report.ts';

// Entities in responses to secondaries (contract/operations.md §3.4).

const text = Type.String();
const GeoSite = buildSiteEntity(GEO_SITE_APIS[0]);

/** A secondary with its primary. */
interface SiteWithPrimary {
  readonly site: Site;
  readonly primary: Site | null;
}

const FollowingSite = entity('GeoFollowingSite', {
  site: GeoSite.schema,
  /** Null: no primary exists. */
  primary: nullable(objectSchema('GeoPrimarySite', { name: text, url: text })),
  storages: Type.Array(text),
}).from(
  (rows: readonly SiteWithPrimary[], context) =>
    GeoSite.serializeAll(
      rows.map(({ site }) => site),
      context,
    ),
  ({ site: { id }, primary }, context, serializedSites) => ({
    site: serializedSites.find((serializedSite) => serializedSite.id === id)!,
    primary: primary && { name: primary.name, url: primary.url },
    storages: Object.keys(context.git.storages).sort(),
  }),
);

const Replicable = entity('GeoReplicable', {
  replicable_name: Type.Enum([...REPLICABLE_NAMES]),
  replicable_id: Type.Integer(),
  checksum: nullable(text),
  checksum_state: Type.Enum(['pending', 'succeeded', 'failed']),
  size: nullable(Type.Integer()),
  path: nullable(text),
  storage: nullable(text),
  updated_at: dateTime,
}).from((row: ReplicableRow) => row);

const GeoEvent = entity('GeoEvent', {
  id: Type.Integer(),
  created_at: dateTime,
  event_name: Type.Enum(['created', 'updated', 'deleted']),
  replicable_name: Type.Enum([...REPLICABLE_NAMES]),
  replicable_id: Type.Integer(),
  checksum: nullable(text),
}).from((row: SiteEvent) => row);

// Endpoints for secondaries (contract/operations.md §3.4).

const pageParams = {
  after_id: describe(optional(integer, 0), 'Returns rows with greater ids only.'),
  per_page: optional(perPage, 100),
};

/** Error for a site that was deleted during its request. */
const UNAUTHORIZED = [401, '401 Unauthorized'] as const;

export const reportGeoStatus = endpoint({
  post: '/geo/status',
  summary: 'Report the status of a site',
  description:
    'Stores the counts and the replication state of the calling secondary, and returns its status. Unknown fields are ignored. A report for another site gives 403.',
  access: siteAccess(),
  allowSiteToken: true,
  params: statusReportParams,
  errors: { otherSite: FORBIDDEN },
  response: created(buildStatusEntity(GEO_SITE_APIS[0])),
  write: (uow, { site, params }) => storeReport(uow, site.id, params),
});

export const getFollowingSite = endpoint({
  get: '/geo/site',
  summary: 'Get the settings of the calling site',
  description:
    'Returns the settings of the calling secondary, the primary, and the names of the storages. Disabled secondaries may call this too, to learn when they are enabled again.',
  access: siteAccess({ allowDisabled: true }),
  allowSiteToken: true,
  errors: { notFound: UNAUTHORIZED },
  response: ok(FollowingSite),
  async read(db, { site: { id } }) {
    const site = await findSite(db, id);
    return site === null ? fail('notFound') : { site, primary: await findPrimary(db) };
  },
});

export const listReplicables = endpoint({
  get: '/geo/replicables',
  summary: 'List the objects in the scope of a secondary',
  description:
    'Returns repositories or blobs that the site must copy, in ascending order of id, from the one after `after_id`. Missing checksums are computed in the background; `checksum` is null until then.',
  access: siteAccess(),
  allowSiteToken: true,
  params: { replicable_name: required(oneOf(...REPLICABLE_NAMES)), ...pageParams },
  errors: { notFound: UNAUTHORIZED },
  response: list(Replicable),
  async handle({ site: { id }, params: { replicable_name, after_id, per_page } }, services) {
    const db = services.database.reader;
    const scope = await findSiteScope(db, id);
    if (scope === null) return fail('notFound');
    const replicables = await loadReplicables(db, scope, replicable_name, { afterId: after_id, limit: per_page });
    await enqueueChecksums(services, replicables);
    return replicables;
  },
});

export const listGeoEvents = endpoint({
  get: '/geo/events',
  summary: 'List events in the scope of a secondary',
  description:
    'Returns what was created, updated or deleted after the event `after_id`, in ascending order of id. Events outside the selective synchronization of the site are left out. Events are kept until every enabled secondary has processed them, and for at least a day.',
  access: siteAccess(),
  allowSiteToken: true,
  params: pageParams,
  errors: { notFound: UNAUTHORIZED },
  response: list(GeoEvent),
  async handle({ site: { id }, params: { after_id, per_page } }, services) {
    const db = services.database.reader;
    const scope = await findSiteScope(db, id);
    if (scope === null) return fail('notFound');
    const { events, replicables } = await listSiteEvents(db, scope, { afterId: after_id, limit: per_page });
    await enqueueChecksums(services, replicables);
    return events;
  },
});

export const retrieveReplicable = endpoint({
  get: '/geo/retrieve/:replicable_name/:replicable_id',
  summary: 'Get the content of a replicated blob',
  description:
    'Returns the bytes of an LFS object, an upload or a job artifact, with its SHA-256 checksum in `X-Hearth-Checksum`. The token must be signed for exactly this object. Repositories are fetched with git instead.',
  access: siteBlobAccess(),
  allowSiteToken: true,
  params: { replicable_id: required(integer) },
  unknownIdStatus: 401,
  errors: { notFound: [404, '404 Not Found'] },
  response: stream,
  async handle({ site: { id }, params: { replicable_name, replicable_id } }, { database: { reader: db }, blobs }) {
    const name = REPLICABLE_NAMES.find((knownName) => knownName === replicable_name);
    const scope = await findSiteScope(db, id);
    if (name === undefined || scope === null) return fail('notFound');
    const [replicable] = await loadReplicables(db, scope, name, { ids: [replicable_id] });
    // Repositories have no blob: secondaries fetch them with git.
    if (replicable === undefined || replicable.checksum === null || replicable.size === null) return fail('notFound');
    const blob = await openBlob(blobs, replicable.checksum);
    if (blob === null) return fail('notFound');
    const headers = {
      'Content-Type': 'application/octet-stream',
      'Content-Length': String(replicable.size),
      'X-Hearth-Checksum': replicable.checksum,
    };
    return { headers, body: blob.stream };
  },
});

// Access for replication sites with a signed token only (contract/operations.md §3.3).

/** Creates the access for enabled secondaries; with `allowDisabled`, also for disabled ones. */
function siteAccess({ allowDisabled = false } = {}): Access<{ site: CallerSite }> {
  return access({
    audience: 'tokenHolder',
    label: allowDisabled ? 'site (disabled too)' : 'site',
    authenticate({ caller: { site } }) {
      if (site === undefined || !(site.enabled || allowDisabled)) throw unauthorized();
      requireApiScope(site);
    },
    load: async ({ caller }) => ({ site: requireSite(caller) }),
    authorize: () => {},
  });
}

/** Creates the access for enabled secondaries whose token is signed for the requested blob. */
function siteBlobAccess(): Access<{ site: CallerSite }> {
  return access({
    audience: 'tokenHolder',
    label: 'site',
    authenticate({ caller: { site }, path }) {
      const isSigned =
        site?.claims.replicable_name === path.replicable_name &&
        String(site?.claims.replicable_id) === path.replicable_id;
      if (site?.enabled !== true || typeof site.claims.replicable_id !== 'number' || !isSigned) throw unauthorized();
    },
    load: async ({ caller }) => ({ site: requireSite(caller) }),
    authorize: () => {},
  });
}

function requireSite({ site }: Caller): CallerSite {
  if (site === undefined) throw unauthorized();
  return site;
}
