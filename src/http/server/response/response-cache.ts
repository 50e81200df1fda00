import { LRUCache } from 'lru-cache';
import type { Caller } from '#authentication/caller.ts';
import type { Config } from '#config.ts';
import type { ReadSet, RequestDatabase } from '#database/database.ts';
import type { Endpoint } from '#http/endpoint/endpoint.ts';
import { hasBody } from '#http/request/body.ts';
import type { IncomingRequest } from '#http/request/incoming.ts';
import type { Services } from '#http/services.ts';
import { AdmissionFilter } from '#runtime/bounded-cache.ts';
import { getToday } from '#runtime/clock.ts';
import { estimateHeapSize } from '#runtime/heap-size.ts';
import type { ResponseContext } from './request-view.ts';
import type { OutgoingResponse } from './response.ts';

/**
 * Caches JSON responses of endpoints with `read` that do not use the clock: they depend on the database, the request line, the
 * caller and the day. An entry is valid while the tables that it read are unchanged; each request checks this before and after
 * the response is built. Credentials, scopes, resources and abilities are checked for cached responses too.
 */

/** Maximum heap size of the cache. */
const MAX_CACHE_BYTES = 8 * 2 ** 20;
/** Overhead of an entry: its slot in the cache, and the names of the tables that it read. */
const ENTRY_OVERHEAD_BYTES = 800;
/** Maximum length of the path and query of a cached request, in characters. */
const MAX_URL_LENGTH = 2_000;

interface CachedResponse {
  readonly outgoing: OutgoingResponse;
  /** The tables that the response was read from. */
  readonly readSet: ReadSet;
}

interface ResponseCache {
  /** Admits keys that are requested repeatedly. */
  readonly admission: AdmissionFilter;
  readonly entries: LRUCache<string, CachedResponse>;
}

/** Cache of each server, keyed by its configuration, because each request has its own database object. */
const caches = new WeakMap<Config, ResponseCache>();

interface CacheableRequest {
  readonly endpoint: Endpoint;
  readonly request: IncomingRequest;
  readonly caller: Caller;
  readonly services: Services;
  /** The read state of the database for this request. */
  readonly database: RequestDatabase;
}

/** Returns the cached response if it is still valid; otherwise builds it, and caches it if it was requested before. */
export async function getCachedResponse(
  cacheable: CacheableRequest,
  context: ResponseContext,
  buildResponse: () => Promise<OutgoingResponse>,
): Promise<OutgoingResponse> {
  const { endpoint, request, database, services } = cacheable;
  const isTooLarge = hasBody(request) || request.path.length + request.query.length > MAX_URL_LENGTH;
  if (!isCacheable(endpoint) || isTooLarge) return buildResponse();
  const cache = getCache(services.config);
  const key = getCacheKey(cacheable);
  const cached = cache.entries.get(key);
  if (cached !== undefined) {
    const version = database.getVersion();
    if (version instanceof Promise) await version.then(database.verify);
  }
  const isHit = cached?.readSet.isCurrent() === true;
  services.metrics.recordResponseCacheRead(isHit ? 'hit' : 'miss');
  if (isHit) return cached.outgoing;
  const isRepeated = cache.admission.admit(key);
  const outgoing = await buildResponse();
  // Streams cannot be sent twice.
  if (!isRepeated || outgoing.status !== 200 || context.usesClock || typeof outgoing.body !== 'string') return outgoing;
  // A commit while the response is built may be visible in only a part of it; such a response is not cached.
  await database.forRequest().getVersion();
  const readSet = database.getReadSet();
  // The key contains the day, which may have ended meanwhile.
  if (readSet.isCurrent() && getCacheKey(cacheable) === key) cache.entries.set(key, { outgoing, readSet });
  return outgoing;
}

function getCache(config: Config): ResponseCache {
  let cache = caches.get(config);
  if (cache === undefined) {
    const sizeCalculation = ({ outgoing }: CachedResponse, key: string) =>
      ENTRY_OVERHEAD_BYTES + estimateHeapSize(key) + estimateHeapSize(outgoing);
    cache = {
      admission: new AdmissionFilter(),
      entries: new LRUCache({ maxSize: MAX_CACHE_BYTES, maxEntrySize: MAX_CACHE_BYTES / 16, sizeCalculation }),
    };
    caches.set(config, cache);
  }
  return cache;
}

/** Clears the cache of a server. */
export function clearResponseCache(config: Config): void {
  caches.get(config)?.entries.clear();
}

/** Returns whether responses of the endpoint may be cached. */
export function isCacheable({ method, handler, response }: Endpoint): boolean {
  return method === 'GET' && handler.kind === 'read' && response.schema !== null;
}

/** Returns the cache key. The path identifies the endpoint; pagination links depend on the whole URL. */
function getCacheKey({ request, caller, services }: CacheableRequest): string {
  const { baseUrl, path, query } = request;
  const token = caller.token === null ? '' : `${caller.token.kind} ${caller.token.id}`;
  return `${caller.user?.id ?? ''} ${token} ${caller.site?.id ?? ''} ${getToday(services.clock)} ${baseUrl}${path}?${query}`;
}
