import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { gate } from '#runtime/concurrency-limiter.ts';

/**
 * All addresses of a host name. Rejects, or gives none, when there are none. `signal`: of the one who waits for them.
 */
export type Resolver = (host: string, signal?: AbortSignal) => Promise<readonly LookupAddress[]>;

/** A host that is being asked for, or will be. */
interface Asked {
  /** Who waits for it. */
  users: number;
  readonly addresses: Promise<readonly LookupAddress[]>;
}

/**
 * Looks hosts up one at a time, each once for all who ask for it meanwhile; those whom nobody waits for any more not at all. The
 * system looks up only two at the same time in a process, and cannot be told to stop: of a name whose server never answers, two
 * would keep the way to the database and to the mail server closed.
 */
export function createResolver(lookUp: (host: string) => Promise<readonly LookupAddress[]>): Resolver {
  const lookUps = gate(1, { waiting: 0, retryAfter: 1 });
  const hosts = new Map<string, Asked>();
  const ask = (host: string): Asked => {
    const work = async () => {
      if (asked.users === 0) throw new Error('Nobody waits for it any more');
      return lookUp(host);
    };
    const addresses = lookUps.enter(work, { owed: true }).finally(() => hosts.delete(host));
    const asked: Asked = { users: 0, addresses };
    hosts.set(host, asked);
    return asked;
  };
  return async (host, signal) => {
    const asked = hosts.get(host) ?? ask(host);
    asked.users++;
    const leave = () => {
      asked.users--;
    };
    signal?.addEventListener('abort', leave, { once: true });
    try {
      return await asked.addresses;
    } finally {
      signal?.removeEventListener('abort', leave);
    }
  };
}

export const systemResolver = createResolver((host) => lookup(host, { all: true }));
