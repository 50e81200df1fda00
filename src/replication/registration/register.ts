import { foldCase } from '#database/name-keys.ts';
import type { Clock } from '#runtime/clock.ts';
import { trimEndCharacters } from '#text/trim.ts';
import { createSiteAuthorization, type SiteKeys } from '../primary/authorization.ts';
import { type PrimaryClient, PrimaryFailure } from '../primary/client.ts';
import { Credentials, OwnSiteResponse, type SiteRow, SiteRows } from '../primary/schemas.ts';
import type { SiteIdentity } from './identity.ts';

/** Parameters of a registration (contract/operations.md §3.5). */
interface RegisterOptions {
  readonly client: PrimaryClient;
  /** HEARTH_PRIMARY_TOKEN: a token of an administrator, or `<access_key>:<secret>`. */
  readonly token: string;
  readonly name: string;
  /** URL of this site. */
  readonly url: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Registers as a site of the primary, or finds the existing site. With the site's keys it only finds the site; with an
 * administrator's token it creates the site if needed and requests new keys. Rejects with `PrimaryFailure` if a retry may succeed.
 */
export async function registerSite(registration: RegisterOptions): Promise<SiteIdentity> {
  const [, accessKey, secret] = /^([^:]+):(.+)$/.exec(registration.token) ?? [];
  if (accessKey !== undefined && secret !== undefined) return registerByKeys(registration, { accessKey, secret });
  return registerAsAdministrator(registration);
}

/** Returns the site to which the keys belong. */
async function registerByKeys({ client, clock, signal }: RegisterOptions, keys: SiteKeys): Promise<SiteIdentity> {
  const headers = { authorization: createSiteAuthorization(keys, { scope: 'geo_api' }, clock.now()) };
  const { site } = await client.requestJson({ path: '/api/v4/geo/site', headers, signal }, OwnSiteResponse);
  return { siteId: site.id, ...keys };
}

/** Finds or creates the site by its name and requests new keys, which invalidates the previous ones. */
async function registerAsAdministrator(registration: RegisterOptions): Promise<SiteIdentity> {
  const { client, name, signal } = registration;
  const headers = { 'private-token': registration.token };
  const sites = await listAllSites(client, headers, '', signal);
  if (!sites.some(({ primary }) => primary)) {
    throw new PrimaryFailure('denied', 'The primary has no primary site: create it with POST /geo_sites');
  }
  const existingSite = sites.find((site) => toSiteNameKey(site.name) === toSiteNameKey(name));
  if (existingSite?.primary)
    throw new PrimaryFailure('denied', `${name} is the name of the primary: set HEARTH_SITE_NAME`);
  const id = existingSite?.id ?? (await createSite(registration, headers));
  const request = { method: 'POST', path: `/api/v4/geo_sites/${id}/credentials`, headers, signal };
  const keys = await client.requestJson(request, Credentials);
  return { siteId: id, accessKey: keys.access_key, secret: keys.secret_access_key };
}

async function createSite(
  { client, name, url, signal }: RegisterOptions,
  headers: Readonly<Record<string, string>>,
): Promise<number> {
  const request = { method: 'POST', path: '/api/v4/geo_sites', headers, body: { name, url }, signal };
  const site = await client.requestJson(request, SiteRows.items);
  return site.id;
}

/** Maximum number of pages of sites that are requested. */
const MAX_PAGES = 20;
const PAGE_SIZE = 100;

/** Returns all sites of the primary that these credentials may read. `extraQuery` is empty or begins with `&`. */
export async function listAllSites(
  client: PrimaryClient,
  headers: Readonly<Record<string, string>>,
  extraQuery: string,
  signal?: AbortSignal,
): Promise<SiteRow[]> {
  const sites: SiteRow[] = [];
  for (let page = 1; page <= MAX_PAGES; page++) {
    const path = `/api/v4/geo_sites?per_page=${PAGE_SIZE}&page=${page}${extraQuery}`;
    const siteRows = await client.requestJson({ path, headers, ...(signal ? { signal } : {}) }, SiteRows);
    sites.push(...(siteRows as SiteRow[]));
    if (siteRows.length < PAGE_SIZE) break;
  }
  return sites;
}

/** Returns the key by which the primary compares names: ignores case and trailing slashes. */
export function toSiteNameKey(name: string): string {
  return foldCase(trimEndCharacters(name.trim(), '/'));
}
