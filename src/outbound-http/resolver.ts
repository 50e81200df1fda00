import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { createConcurrencyLimiter } from '#runtime/concurrency-limiter.ts';

/**
 * Returns all addresses of a host name; rejects or returns an empty list if there are none. `signal` aborts when the caller no
 * longer waits.
 */
export type Resolver = (host: string, signal?: AbortSignal) => Promise<readonly LookupAddress[]>;

/** A lookup that is queued or running. */
interface PendingLookup {
  /** Number of callers that wait for it. */
  users: number;
  readonly addresses: Promise<readonly LookupAddress[]>;
}

/**
 * Creates a resolver that looks up one host at a time. Concurrent callers share a lookup; abandoned lookups are skipped. The
 * runtime runs only two lookups at once and cannot cancel them: two names whose servers never answer would block the database
 * and mail connections.
 */
export function createResolver(lookUp: (host: string) => Promise<readonly LookupAddress[]>): Resolver {
  const lookupLimiter = createConcurrencyLimiter(1, { maxWaiting: 0, retryAfterSeconds: 1 });
  const lookupsByHost = new Map<string, PendingLookup>();
  const startLookup = (host: string): PendingLookup => {
    const work = async () => {
      if (pendingLookup.users === 0) throw new Error('The lookup was abandoned: no caller waits for it');
      return lookUp(host);
    };
    const addresses = lookupLimiter.run(work, { exemptFromLimit: true }).finally(() => lookupsByHost.delete(host));
    const pendingLookup: PendingLookup = { users: 0, addresses };
    lookupsByHost.set(host, pendingLookup);
    return pendingLookup;
  };
  return async (host, signal) => {
    const pendingLookup = lookupsByHost.get(host) ?? startLookup(host);
    pendingLookup.users++;
    const release = () => {
      pendingLookup.users--;
    };
    signal?.addEventListener('abort', release, { once: true });
    try {
      return await pendingLookup.addresses;
    } finally {
      signal?.removeEventListener('abort', release);
    }
  };
}

export const systemResolver = createResolver((host) => lookup(host, { all: true }));
