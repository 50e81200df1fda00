import { openBlob } from '#blobs/index.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, list, ok, stream } from '#http/endpoint/responses.ts';
import { FORBIDDEN } from '#http/errors/error-messages.ts';
import { perPage } from '#http/lists/pagination.ts';
import { optional, required } from '#http/parameters/declarations.ts';
import { integer, oneOf } from '#http/parameters/types.ts';
import { fail } from '#runtime/failure.ts';
import { buildStatusEntity, findPrimary, findSite, GEO_SITE_APIS } from '../geo-sites/index.ts';
import { enqueueChecksums, loadReplicables, REPLICABLE_NAMES } from '../replicables/index.ts';
import { siteAccess, siteBlobAccess } from './access.ts';
import { FollowingSite, GeoEvent, Replicable } from './entities.ts';
import { findSiteScope, listSiteEvents } from './events.ts';
import { getScanStartId, recordSkippedRange } from './skipped-events.ts';
import { statusReportParams, storeReport } from './status-report.ts';

/** Endpoints for secondaries (contract/operations.md §3.4). */

const pageParams = { after_id: optional(integer, 0), per_page: optional(perPage, 100) };

/** Error for a site that was deleted during its request. */
const UNAUTHORIZED = [401, '401 Unauthorized'] as const;

export const reportGeoStatus = endpoint({
  post: '/geo/status',
  summary: 'Report the status of a site',
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
  access: siteAccess(),
  allowSiteToken: true,
  params: pageParams,
  errors: { notFound: UNAUTHORIZED },
  response: list(GeoEvent),
  async handle({ site: { id }, params: { after_id, per_page } }, services) {
    const db = services.database.reader;
    const scope = await findSiteScope(db, id);
    if (scope === null) return fail('notFound');
    const { database } = services;
    const afterId = getScanStartId(database, scope, after_id);
    const { events, replicables, scannedUntilId } = await listSiteEvents(db, scope, { afterId, limit: per_page });
    if (events.length === 0) recordSkippedRange(database, scope, { afterId: after_id, untilId: scannedUntilId });
    await enqueueChecksums(services, replicables);
    return events;
  },
});

export const retrieveReplicable = endpoint({
  get: '/geo/retrieve/:replicable_name/:replicable_id',
  summary: 'Get the content of a replicated blob',
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
