import { createPageHeaders, paginateInMemory } from '#http/lists/pagination.ts';
import type { IncomingRequest } from '#http/request/incoming.ts';
import { applyIfNoneMatch, type OutgoingResponse, serializeToResponse } from '#http/server/response/response.ts';
import { collapseSlashes } from '#text/trim.ts';
import type { SiteRow, SiteStatusRow } from '../primary/schemas.ts';
import { type CallerChecks, CREDENTIAL_PARAMETERS, type SitesAndStatuses } from './caller-checks.ts';

interface SitesServices {
  readonly checks: CallerChecks;
  /** Returns null while the primary does not list this site. */
  readonly getSiteId: () => number | null;
  /** Returns the current status of this site in the format of the primary's responses. */
  readonly buildOwnStatus: (site: SiteRow, previousStatus: SiteStatusRow | undefined) => Promise<SiteStatusRow | null>;
}

interface SitesRequest {
  readonly id: number | null;
  readonly status: boolean;
}

/** Parses the four read requests of sites; null for others, and for parameters that only the primary should handle. */
function parseSitesRequest({ method, path, query }: IncomingRequest): SitesRequest | null {
  const pathMatch = /^\/api\/v4\/geo_sites(?:\/(\d{1,15}))?(\/status)?$/.exec(collapseSlashes(path));
  if (pathMatch === null || !READ_METHODS.has(method) || !hasKnownParameters(query)) return null;
  const [, id, status] = pathMatch;
  return { id: id === undefined ? null : Number(id), status: status !== undefined };
}

/** HEAD is answered like GET. */
const READ_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** Query parameters that are handled locally, with their valid values. */
const KNOWN_PARAMETERS: Readonly<Record<string, RegExp>> = {
  page: /^[1-9]\d{0,5}$/,
  per_page: /^[1-9]\d?$|^100$/,
  refresh: /^true$|^false$/,
};

function hasKnownParameters(query: string): boolean {
  return [...new URLSearchParams(query)].every(
    ([name, value]) => CREDENTIAL_PARAMETERS.includes(name) || KNOWN_PARAMETERS[name]?.test(value),
  );
}

/** Serves sites and statuses from the primary's data and this site's own status; null: proxy the request. */
export async function serveSites(
  { checks, getSiteId, buildOwnStatus }: SitesServices,
  request: IncomingRequest,
): Promise<OutgoingResponse | null> {
  const parsedRequest = parseSitesRequest(request);
  const ownSiteId = getSiteId();
  if (parsedRequest === null || ownSiteId === null) return null;
  const sites = await checks.listSites(request);
  if (sites === null) return null;
  const rows = parsedRequest.status
    ? await loadStatuses(sites, ownSiteId, buildOwnStatus)
    : markCurrentSite(sites, ownSiteId);
  if (parsedRequest.id === null) return applyIfNoneMatch(request, await paginate(rows, request));
  const row = rows.find(
    (candidate) => ('geo_node_id' in candidate ? candidate.geo_node_id : candidate.id) === parsedRequest.id,
  );
  return row === undefined ? null : applyIfNoneMatch(request, await serializeToResponse(row, 200, request, {}));
}

function markCurrentSite({ sites }: SitesAndStatuses, ownSiteId: number): readonly SiteRow[] {
  return sites.map((row) => ({ ...row, current: row.id === ownSiteId }));
}

/** Returns the statuses of all sites by id, with the current one of this site. */
async function loadStatuses(
  { sites, statuses }: SitesAndStatuses,
  ownSiteId: number,
  buildOwnStatus: SitesServices['buildOwnStatus'],
): Promise<readonly SiteStatusRow[]> {
  const site = sites.find(({ id }) => id === ownSiteId);
  const previousStatus = statuses.find(({ geo_node_id }) => geo_node_id === ownSiteId);
  const status = site === undefined ? null : await buildOwnStatus(site, previousStatus);
  const otherStatuses = statuses.filter(({ geo_node_id }) => geo_node_id !== ownSiteId);
  return [...otherStatuses, ...(status === null ? [] : [status])].sort((a, b) => a.geo_node_id - b.geo_node_id);
}

/** Returns the requested page of the rows, with the headers of a page. */
function paginate(rows: readonly object[], request: IncomingRequest) {
  const parameters = Object.fromEntries(new URLSearchParams(request.query));
  const pagination = {
    kind: 'offset',
    page: Number(parameters.page ?? 1),
    perPage: Number(parameters.per_page ?? 20),
  } as const;
  const page = paginateInMemory(rows, pagination);
  return serializeToResponse(page.items, 200, request, createPageHeaders(page, pagination, request, parameters));
}
