import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { IncomingRequest } from '#http/request/incoming.ts';
import type { Clock } from '#runtime/clock.ts';
import { type PrimaryClient, PrimaryFailure } from '../primary/client.ts';
import type { Primary } from '../primary/primary.ts';
import { type SiteRow, type SiteStatusRow, StatusRows } from '../primary/schemas.ts';
import { listAllSites } from '../registration.ts';
import type { RegistryRow } from '../sync/registry.ts';

/**
 * Access checks of local responses. Each sends the caller's credentials to the primary and caches the result for a minute
 * (contract/operations.md §3.5, "Serve").
 */
export interface CallerChecks {
  /** Returns whether the client may fetch the repository, and whether it is still at this address. */
  canFetch(request: IncomingRequest, copy: RegistryRow): Promise<boolean>;
  /** Returns whether the primary requested credentials within the last minute. Git always starts without them. */
  requiresCredentials(request: IncomingRequest, copy: RegistryRow): Promise<boolean>;
  /** Returns all sites and their statuses for an administrator; null for others and if the primary is unavailable. */
  listSites(request: IncomingRequest): Promise<SitesAndStatuses | null>;
}

/** Sites and statuses from the last response of the primary. */
export interface SitesAndStatuses {
  readonly sites: readonly SiteRow[];
  readonly statuses: readonly SiteStatusRow[];
}

/** Result of a check; `unauthenticated`: the primary requires authentication. */
type Verdict = 'yes' | 'no' | 'unauthenticated';

/** Lifetime of a cached result, in milliseconds. */
const CACHE_MS = 60_000;

/** Maximum number of cached results. */
const MAX_CACHED = 10_000;

/** Headers with credentials. */
const CREDENTIAL_HEADERS = ['authorization', 'private-token', 'deploy-token', 'job-token', 'cookie', 'sudo'];

interface CallerChecksOptions {
  readonly client: PrimaryClient;
  /** Returns null while the primary does not list this site. */
  readonly getPrimary: () => Primary | null;
  readonly clock: Clock;
}

export function createCallerChecks({ client, getPrimary, clock }: CallerChecksOptions): CallerChecks {
  const cache = new LRUCache<string, { readonly expiresAtMs: number; readonly verdict: Promise<Verdict> }>({
    max: MAX_CACHED,
  });
  // Shared by all callers: administrators get the same data.
  let lastSites: SitesAndStatuses = { sites: [], statuses: [] };

  const findCached = (key: string): Promise<Verdict> | null => {
    const entry = cache.get(key);
    return entry !== undefined && entry.expiresAtMs > clock.now().getTime() ? entry.verdict : null;
  };

  const buildFetchKey = (request: IncomingRequest, copy: RegistryRow) =>
    `${copy.id} ${copy.path} ${digestCredentials(request)}`;

  /** Returns the cached verdict or runs the check. Concurrent calls share one check; failed checks are not cached. */
  const checkWithCache = (key: string, check: () => Promise<Verdict>): Promise<Verdict> => {
    const cachedVerdict = findCached(key);
    if (cachedVerdict !== null) return cachedVerdict;
    const verdict: Promise<Verdict> = check().catch((error: unknown) => {
      if (cache.get(key)?.verdict === verdict) cache.delete(key);
      if (error instanceof PrimaryFailure) return 'no';
      throw error;
    });
    cache.set(key, { expiresAtMs: clock.now().getTime() + CACHE_MS, verdict });
    return verdict;
  };

  return {
    async canFetch(request, copy) {
      const verdict = await checkWithCache(buildFetchKey(request, copy), async () => {
        const [isPathCurrent, primaryVerdict] = await Promise.all([
          isCurrentPath(getPrimary(), copy),
          checkFetch(client, request, copy),
        ]);
        // A caller without credentials has to authenticate first, wherever the repository is now.
        return isPathCurrent || primaryVerdict === 'unauthenticated' ? primaryVerdict : 'no';
      });
      return verdict === 'yes';
    },
    async requiresCredentials(request, copy) {
      return (await findCached(buildFetchKey(request, copy))) === 'unauthenticated';
    },
    async listSites(request) {
      const verdict = await checkWithCache(`sites ${digestCredentials(request)}`, async () => {
        lastSites = await loadSites(client, request);
        return 'yes';
      });
      return verdict === 'yes' ? lastSites : null;
    },
  };
}

/** Returns whether the object still has this path: another repository may have it now. Copies of wikis store it with `.wiki`. */
async function isCurrentPath(
  primary: Primary | null,
  { replicable_name, replicable_id, path }: RegistryRow,
): Promise<boolean> {
  const replicable = await primary?.findReplicable(replicable_name, replicable_id);
  return replicable?.path != null && (path === replicable.path || path === `${replicable.path}.wiki`);
}

/** Requests the refs of the repository from the primary, as this fetch would, and returns its verdict. */
async function checkFetch(
  primaryClient: PrimaryClient,
  request: IncomingRequest,
  { path }: RegistryRow,
): Promise<Verdict> {
  const fetchRequest = {
    path: `/${path}.git/info/refs?service=git-upload-pack`,
    headers: pickCredentialHeaders(request),
  };
  const { status, headers, body } = await primaryClient.requestRaw(fetchRequest, {
    totalMs: 60_000,
    maxBytes: Number.MAX_SAFE_INTEGER,
  });
  body.destroy();
  if (status >= 500 || status === 429) throw new PrimaryFailure('unavailable', `The primary answered ${status}`);
  if (status === 401) return 'unauthenticated';
  return status === 200 && headers['content-type'] === 'application/x-git-upload-pack-advertisement' ? 'yes' : 'no';
}

/** Statuses per page: each has about three hundred values. */
const PAGE_SIZE = 20;
const MAX_PAGES = 100;

/** Loads all sites and statuses with the credentials of the request. Rejects with `PrimaryFailure` if they do not suffice. */
async function loadSites(primaryClient: PrimaryClient, request: IncomingRequest): Promise<SitesAndStatuses> {
  const headers = pickCredentialHeaders(request);
  const tokenParameters = pickCredentialQuery(request);
  const sites = await listAllSites(primaryClient, headers, tokenParameters);
  const statuses: SiteStatusRow[] = [];
  for (let page = 1; page <= MAX_PAGES; page++) {
    const path = `/api/v4/geo_sites/status?per_page=${PAGE_SIZE}&page=${page}${tokenParameters}`;
    const statusRows = await primaryClient.requestJson({ path, headers }, StatusRows);
    statuses.push(...(statusRows as SiteStatusRow[]));
    if (statusRows.length < PAGE_SIZE) break;
  }
  return { sites, statuses };
}

/** Returns the headers with credentials, and the address of the client, whose rate limits the primary applies. */
function pickCredentialHeaders({ headers, clientAddress }: IncomingRequest): Record<string, string> {
  const presentedHeaders = CREDENTIAL_HEADERS.flatMap((name) => {
    const value = headers[name];
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  return { ...Object.fromEntries(presentedHeaders), 'x-forwarded-for': clientAddress };
}

/** Query parameters with credentials. */
export const CREDENTIAL_PARAMETERS = ['private_token', 'access_token', 'bearer_token', 'sudo'];

/** Returns the query parameters with credentials, each with a leading `&`. */
function pickCredentialQuery({ query }: IncomingRequest): string {
  const parameters = [...new URLSearchParams(query)].filter(([name]) => CREDENTIAL_PARAMETERS.includes(name));
  return parameters.map(([name, value]) => `&${name}=${encodeURIComponent(value)}`).join('');
}

/** Returns a digest of the request's credentials, as a cache key without secrets. */
function digestCredentials(request: IncomingRequest): string {
  const { 'x-forwarded-for': _address, ...headers } = pickCredentialHeaders(request);
  return createHash('sha256')
    .update(JSON.stringify([headers, pickCredentialQuery(request)]))
    .digest('base64url');
}
