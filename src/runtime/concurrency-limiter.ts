import { createYielder } from './yielding.ts';

/**
 * A semaphore with a bounded queue, shared fairly between the networks of clients: one network gets a part of the slots, some
 * slots are kept for networks that have none, and waiting networks take turns. Both functions fail with `QueueFull` when the
 * queue is full, and with `ClientDisconnected`. If others wait, a client that holds a slot but stands still is disconnected.
 */
export interface ConcurrencyLimiter {
  run<Result>(work: () => Promise<Result>, waiter?: Waiter): Promise<Result>;
  /** Acquires a slot and returns the function that releases it; repeated calls of that function do nothing. */
  acquire(waiter?: Waiter): Promise<() => void>;
}

/** A client whose request may be abandoned before its response is ready. */
export interface RequestClient {
  /** Whether the client has disconnected. */
  readonly isDisconnected: boolean;
  /** Aborts when the client disconnects. Only read by code that waits, because creating it has a cost. */
  readonly signal: AbortSignal;
  /** What limits by address count (`rate-limits/client-network.ts`). */
  readonly network: string;
  /**
   * Returns for how many milliseconds the client has been seen to stand still: it neither reads its response nor sends its body,
   * although nothing else is waited for. Measured between calls.
   */
  measureStall(): number;
  disconnect(): void;
}

export interface Waiter {
  /** The client that waits: its queue entry is removed when it disconnects. Null: the server itself. */
  readonly client?: RequestClient | null | undefined;
  /** The network that the slot counts for, if it is not the client's. */
  readonly network?: string | undefined;
  /** Waits even if the queue is full: for work that has begun and must be completed. */
  readonly exemptFromLimit?: boolean | undefined;
}

/** The maximum length of a queue. */
export interface QueueLimit {
  /** Maximum number of waiters. */
  readonly maxWaiting: number;
  /** Whole seconds after which a rejected client should retry. */
  readonly retryAfter: number;
}

/** The queue is full, so that another waiter would wait too long. A request gets status 503 with `Retry-After`. */
export class QueueFull extends Error {
  readonly retryAfter: number;

  constructor({ maxWaiting: waiting, retryAfter }: QueueLimit) {
    super(`${waiting} others are waiting already`);
    this.retryAfter = retryAfter;
  }
}

/** The client disconnected while it waited. */
export class ClientDisconnected extends Error {
  constructor() {
    super('The client disconnected while it waited');
  }
}

/** The network of work that no client waits for. */
const OWN_WORK = '';

const networkOf = ({ network, client }: Waiter): string => network ?? client?.network ?? OWN_WORK;

/** How many of a number of places the networks hold. */
interface Shares {
  readonly total: number;
  of(network: string): number;
  /** Whether the network may take one more place. */
  isFree(network: string): boolean;
  change(network: string, by: 1 | -1): void;
}

/** A quarter of the places is kept for networks that hold none. */
const KEPT_SHARE = 4;

function createShares(places: number, perNetwork = Math.ceil(places / 2)): Shares {
  const kept = Math.floor(places / KEPT_SHARE);
  const networks = new Map<string, number>();
  let total = 0;
  const of = (network: string) => networks.get(network) ?? 0;
  return {
    get total() {
      return total;
    },
    of,
    isFree(network) {
      if (total >= places) return false;
      const own = of(network);
      return own === 0 || network === OWN_WORK || (total < places - kept && own < perNetwork);
    },
    change(network, by) {
      total += by;
      const own = of(network) + by;
      if (own > 0) networks.set(network, own);
      else networks.delete(network);
    },
  };
}

/** Waiters whose networks take turns; those of one network in first-in, first-out order. */
export interface WaitQueue<Given> {
  readonly length: number;
  /** Returns the next waiter whose network `mayGo`, or undefined if there is none. */
  first(mayGo?: (network: string) => boolean): QueueEntry<Given> | undefined;
  /** Resolves with the resource when it is this waiter's turn. Fails with `QueueFull` or `ClientDisconnected`. */
  wait(about: string, waiter?: Waiter): Promise<Given>;
}

interface QueueEntry<Given> {
  /** What the waiter waits for. */
  readonly about: string;
  readonly network: string;
  /** Removes the entry from the queue and resolves its promise. */
  go(given: Given): void;
}

export function createWaitQueue<Given>(limit: QueueLimit): WaitQueue<Given> {
  /** In the order of their turns. */
  const networks = new Map<string, Set<QueueEntry<Given>>>();
  const shares = createShares(limit.maxWaiting);

  function add(entry: QueueEntry<Given>): void {
    const waiting = networks.get(entry.network);
    if (waiting === undefined) networks.set(entry.network, new Set([entry]));
    else waiting.add(entry);
    shares.change(entry.network, 1);
  }

  function remove(entry: QueueEntry<Given>): void {
    const waiting = networks.get(entry.network);
    if (!waiting?.delete(entry)) return;
    if (waiting.size === 0) networks.delete(entry.network);
    shares.change(entry.network, -1);
  }

  /** The network had its turn: the others come first. */
  function moveToEnd(network: string): void {
    const waiting = networks.get(network);
    if (waiting === undefined) return;
    networks.delete(network);
    networks.set(network, waiting);
  }

  return {
    get length() {
      return shares.total;
    },
    first(mayGo = () => true) {
      for (const [network, waiting] of networks) if (mayGo(network)) return waiting.values().next().value;
      return undefined;
    },
    async wait(about, waiter = {}) {
      const { client, exemptFromLimit = false } = waiter;
      const network = networkOf(waiter);
      if (!exemptFromLimit && !shares.isFree(network)) throw new QueueFull(limit);
      if (client?.isDisconnected) throw new ClientDisconnected();
      return new Promise((resolve, reject) => {
        const leave = () => {
          remove(entry);
          reject(new ClientDisconnected());
        };
        const entry = {
          about,
          network,
          go(given: Given) {
            remove(entry);
            moveToEnd(network);
            client?.signal.removeEventListener('abort', leave);
            resolve(given);
          },
        };
        add(entry);
        client?.signal.addEventListener('abort', leave, { once: true });
      });
    },
  };
}

/** Milliseconds for which a client may stand still while it holds a slot that others wait for. */
export const MAX_STALL_MS = 5_000;
export const STALL_CHECK_MS = 500;

/** A slot in use. */
interface Holder {
  readonly client: RequestClient;
  readonly network: string;
}

/** Creates a limiter with a number of slots, of which one network gets `perNetwork`, half of them by default. */
export function createConcurrencyLimiter(slots: number, limit: QueueLimit, perNetwork?: number): ConcurrencyLimiter {
  const shares = createShares(slots, perNetwork);
  const waiting = createWaitQueue<void>(limit);
  const holders = new Set<Holder>();
  let checks: NodeJS.Timeout | undefined;

  /** Networks that hold no slot come first. */
  const nextWaiter = () =>
    waiting.first((network) => shares.of(network) === 0 && shares.isFree(network)) ?? waiting.first(shares.isFree);

  /** The slots pass directly to waiters, so that no other caller can take them in between. */
  function admitWaiters(): void {
    for (let next = nextWaiter(); next !== undefined; next = nextWaiter()) {
      shares.change(next.network, 1);
      next.go();
    }
  }

  /** Whether a waiter gets the slot that this holder releases. */
  function isWanted({ network }: Holder): boolean {
    shares.change(network, -1);
    const isFree = waiting.first(shares.isFree) !== undefined;
    shares.change(network, 1);
    return isFree;
  }

  /** Disconnects as many clients that stand still as wait for their slots. */
  function checkStalls(): void {
    let wanted = waiting.length;
    for (const holder of holders) {
      if (holder.client.measureStall() < MAX_STALL_MS || wanted === 0 || !isWanted(holder)) continue;
      wanted -= 1;
      holders.delete(holder);
      holder.client.disconnect();
    }
  }

  function hold(network: string, client: RequestClient | null | undefined): () => void {
    const holder = client ? { client, network } : null;
    if (holder !== null) {
      holders.add(holder);
      checks ??= setInterval(checkStalls, STALL_CHECK_MS).unref();
    }
    let released = false;
    return () => {
      if (released) return;
      released = true;
      if (holder !== null) holders.delete(holder);
      if (holders.size === 0) {
        clearInterval(checks);
        checks = undefined;
      }
      shares.change(network, -1);
      admitWaiters();
    };
  }

  async function acquire(waiter: Waiter = {}): Promise<() => void> {
    const network = networkOf(waiter);
    if (shares.isFree(network)) shares.change(network, 1);
    else await waiting.wait('a slot', waiter);
    return hold(network, waiter.client);
  }

  return {
    acquire,
    run: async (work, waiter) => {
      const release = await acquire(waiter);
      try {
        return await work();
      } finally {
        release();
      }
    },
  };
}

/** Runs the work for each item, a limited number at a time, and returns the results in the order of the items. */
export async function mapConcurrently<Item, Result>(
  most: number,
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const left = items.entries();
  // Without yielding, work that never waits would block the event loop for all items.
  const giveWay = createYielder();
  const worker = async () => {
    for (const [index, item] of left) {
      const way = giveWay();
      if (way !== undefined) await way;
      results[index] = await work(item);
    }
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, worker));
  return results;
}

/** Runs work on the same key one at a time, in the order of the calls; unused keys take no memory. */
export type KeyedLock = <Result>(key: string, work: () => Promise<Result>, waiter?: Waiter) => Promise<Result>;

/** Creates a keyed lock in which each key has its own bounded queue. */
export function createKeyedLock(line: QueueLimit): KeyedLock {
  const turns = new Map<string, { readonly gate: ConcurrencyLimiter; users: number }>();
  return async (key, work, waiter) => {
    const turn = turns.get(key) ?? { gate: createConcurrencyLimiter(1, line), users: 0 };
    turns.set(key, turn);
    turn.users += 1;
    try {
      return await turn.gate.run(work, waiter);
    } finally {
      turn.users -= 1;
      if (turn.users === 0) turns.delete(key);
    }
  };
}
