import { foldCase } from '#database/name-keys.ts';
import type { Clock } from '#runtime/clock.ts';
import { trimmedEnd } from '#text/trim.ts';
import { type SiteKeys, siteAuthorization } from '../primary/authorization.ts';
import { type Asking, PrimaryFailure } from '../primary/client.ts';
import { Credentials, PolledSite, type SiteRow, SiteRows } from '../primary/schemas.ts';
import type { Identity } from './identity.ts';

/** What a site registers with (contract/operations.md §3.5). */
interface Registration {
  readonly asking: Asking;
  /** HEARTH_PRIMARY_TOKEN: a token of an administrator, or `<access_key>:<secret>`. */
  readonly token: string;
  readonly name: string;
  /** Where this site is reached. */
  readonly url: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Becomes a site of the primary, or finds that it is one: by the keys that it was given, or with the token of an administrator,
 * who is asked for new keys and whose token is needed no more then. Fails with a `PrimaryFailure`: it is worth trying again.
 */
export async function register(registration: Registration): Promise<Identity> {
  const [, accessKey, secret] = /^([^:]+):(.+)$/.exec(registration.token) ?? [];
  if (accessKey !== undefined && secret !== undefined) return registerByKeys(registration, { accessKey, secret });
  return registerAsAdministrator(registration);
}

async function registerByKeys({ asking, clock, signal }: Registration, keys: SiteKeys): Promise<Identity> {
  const headers = { authorization: siteAuthorization(keys, { scope: 'geo_api' }, clock.now()) };
  const { site } = await asking.json({ path: '/api/v4/geo/site', headers, signal }, PolledSite);
  return { siteId: site.id, ...keys };
}

async function registerAsAdministrator(registration: Registration): Promise<Identity> {
  const { asking, name, signal } = registration;
  const headers = { 'private-token': registration.token };
  const sites = await allSites(asking, headers, '', signal);
  if (!sites.some(({ primary }) => primary)) {
    throw new PrimaryFailure('refused', 'The primary has no primary site: POST /geo_sites makes it');
  }
  const known = sites.find((site) => keyOf(site.name) === keyOf(name));
  if (known?.primary) throw new PrimaryFailure('refused', `${name} is the name of the primary: set HEARTH_SITE_NAME`);
  const id = known?.id ?? (await createSite(registration, headers));
  const question = { method: 'POST', path: `/api/v4/geo_sites/${id}/credentials`, headers, signal };
  const keys = await asking.json(question, Credentials);
  return { siteId: id, accessKey: keys.access_key, secret: keys.secret_access_key };
}

async function createSite(
  { asking, name, url, signal }: Registration,
  headers: Readonly<Record<string, string>>,
): Promise<number> {
  const question = { method: 'POST', path: '/api/v4/geo_sites', headers, body: { name, url }, signal };
  const created = await asking.json(question, SiteRows.items);
  return created.id;
}

/** Nobody has more sites than fill so many pages. */
const MOST_PAGES = 20;
const PAGE = 100;

/** All sites of the primary, as whoever has these credentials may see them; `more`: parameters that begin with `&`. */
export async function allSites(
  asking: Asking,
  headers: Readonly<Record<string, string>>,
  more: string,
  signal?: AbortSignal,
): Promise<SiteRow[]> {
  const sites: SiteRow[] = [];
  for (let page = 1; page <= MOST_PAGES; page++) {
    const path = `/api/v4/geo_sites?per_page=${PAGE}&page=${page}${more}`;
    const found = await asking.json({ path, headers, ...(signal ? { signal } : {}) }, SiteRows);
    sites.push(...(found as SiteRow[]));
    if (found.length < PAGE) break;
  }
  return sites;
}

/** Names are told apart as the primary does it: without case; of addresses a slash at the end counts for nothing. */
export function keyOf(name: string): string {
  return foldCase(trimmedEnd(name.trim(), '/'));
}
