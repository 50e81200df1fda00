import { createYielder } from './yielding.ts';

/**
 * A semaphore with a bounded queue, shared fairly between the networks of clients. One network gets a part of the slots.
 * Some slots are reserved for networks that occupy no slot. Waiting networks are served round-robin. Both functions throw
 * `QueueFull` if the queue is full, and `ClientDisconnected`. A client that stalls while it holds a slot is disconnected if
 * others wait.
 */
export interface ConcurrencyLimiter {
  /** Runs the work with a slot and returns its result. */
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
  /** The network of the client's address, by which limits count (`rate-limits/concurrency-slots.ts`). */
  readonly network: string;
  /**
   * Returns for how many milliseconds the client has stalled, measured between calls: the server waits only for the client,
   * which neither reads its response nor sends its body.
   */
  measureStall(): number;
  disconnect(): void;
}

/** The caller that waits for a slot, and how it waits. */
export interface Waiter {
  /** The client that waits; its queue entry is removed when it disconnects. Null for work of the server itself. */
  readonly client?: RequestClient | null | undefined;
  /** The network that the slot counts for; default: the client's. */
  readonly network?: string | undefined;
  /** Waits even if the queue is full: for work that has begun and must be completed. */
  readonly exemptFromLimit?: boolean;
}

/** The maximum length of a queue. */
export interface QueueLimit {
  /** Maximum number of waiters. */
  readonly maxWaiting: number;
  /** Whole seconds after which a rejected client should retry. */
  readonly retryAfterSeconds: number;
}

/** Thrown when the queue is full: another waiter would wait too long. A request gets status 503 with `Retry-After`. */
export class QueueFull extends Error {
  readonly retryAfterSeconds: number;

  constructor({ maxWaiting, retryAfterSeconds }: QueueLimit) {
    super(`${maxWaiting} others are waiting already`);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Thrown when the client disconnected while it waited. */
export class ClientDisconnected extends Error {
  constructor() {
    super('The client disconnected while it waited');
  }
}

/** The network of work that no client waits for. */
const SERVER_NETWORK = '';

const getNetwork = ({ network, client }: Waiter): string => network ?? client?.network ?? SERVER_NETWORK;

/** Counts the slots of a limiter, or the places in a queue, that each network holds. */
interface SlotCounts {
  readonly total: number;
  count(network: string): number;
  /** Returns whether the network may take one more slot. */
  mayTake(network: string): boolean;
  change(network: string, by: 1 | -1): void;
}

/** A quarter of the slots is reserved for networks that hold none. */
const RESERVED_DIVISOR = 4;

/** Creates counts for this number of slots. One network gets at most `maxPerNetwork`, half of them by default. */
function createSlotCounts(slots: number, maxPerNetwork = Math.ceil(slots / 2)): SlotCounts {
  const reservedSlots = Math.floor(slots / RESERVED_DIVISOR);
  const countsByNetwork = new Map<string, number>();
  let total = 0;
  const count = (network: string) => countsByNetwork.get(network) ?? 0;
  return {
    get total() {
      return total;
    },
    count,
    mayTake(network) {
      if (total >= slots) return false;
      const networkCount = count(network);
      // Networks without a slot and the server itself may take reserved slots.
      if (networkCount === 0 || network === SERVER_NETWORK) return true;
      return total < slots - reservedSlots && networkCount < maxPerNetwork;
    },
    change(network, by) {
      total += by;
      const newCount = count(network) + by;
      if (newCount > 0) countsByNetwork.set(network, newCount);
      else countsByNetwork.delete(network);
    },
  };
}

/** A queue of waiters: round-robin between networks, first-in, first-out within a network. */
interface WaitQueue<Resource> {
  readonly length: number;
  /** Returns the next waiter whose network passes `mayServe`, or undefined if there is none. */
  findNext(mayServe?: (network: string) => boolean): QueueEntry<Resource> | undefined;
  /**
   * Resolves with the resource when this waiter is served. `resourceName` names the resource, for the code that serves the queue.
   * Throws `QueueFull` or `ClientDisconnected`.
   */
  wait(resourceName: string, waiter?: Waiter): Promise<Resource>;
}

interface QueueEntry<Resource> {
  /** Name of the resource that the waiter waits for. */
  readonly resourceName: string;
  readonly network: string;
  /** Removes the entry from the queue and resolves its promise with the resource. */
  serve(resource: Resource): void;
}

/** Creates an empty queue. One network may hold half of its places. */
export function createWaitQueue<Resource>(limit: QueueLimit): WaitQueue<Resource> {
  /** Entries by network; the network that is served next comes first. */
  const entriesByNetwork = new Map<string, Set<QueueEntry<Resource>>>();
  const slotCounts = createSlotCounts(limit.maxWaiting);

  function add(entry: QueueEntry<Resource>): void {
    const entries = entriesByNetwork.get(entry.network);
    if (entries === undefined) entriesByNetwork.set(entry.network, new Set([entry]));
    else entries.add(entry);
    slotCounts.change(entry.network, 1);
  }

  function remove(entry: QueueEntry<Resource>): void {
    const entries = entriesByNetwork.get(entry.network);
    if (!entries?.delete(entry)) return;
    if (entries.size === 0) entriesByNetwork.delete(entry.network);
    slotCounts.change(entry.network, -1);
  }

  /** Moves a network that was served behind all others. */
  function moveToEnd(network: string): void {
    const entries = entriesByNetwork.get(network);
    if (entries === undefined) return;
    entriesByNetwork.delete(network);
    entriesByNetwork.set(network, entries);
  }

  return {
    get length() {
      return slotCounts.total;
    },
    findNext(mayServe = () => true) {
      for (const [network, entries] of entriesByNetwork) if (mayServe(network)) return entries.values().next().value;
      return undefined;
    },
    async wait(resourceName, waiter = {}) {
      const { client, exemptFromLimit = false } = waiter;
      const network = getNetwork(waiter);
      if (!exemptFromLimit && !slotCounts.mayTake(network)) throw new QueueFull(limit);
      if (client?.isDisconnected) throw new ClientDisconnected();
      return new Promise((resolve, reject) => {
        const onDisconnect = () => {
          remove(entry);
          reject(new ClientDisconnected());
        };
        const entry = {
          resourceName,
          network,
          serve(resource: Resource) {
            remove(entry);
            moveToEnd(network);
            client?.signal.removeEventListener('abort', onDisconnect);
            resolve(resource);
          },
        };
        add(entry);
        client?.signal.addEventListener('abort', onDisconnect, { once: true });
      });
    },
  };
}

/** Milliseconds for which a client may stall while it holds a slot that others wait for. */
export const MAX_STALL_MS = 5_000;
/** Milliseconds between two checks for stalled clients. */
export const STALL_CHECK_MS = 500;

/** A client with a slot. */
interface SlotHolder {
  readonly client: RequestClient;
  readonly network: string;
}

/** Creates a limiter with a number of slots. One network gets at most `maxPerNetwork`, half of them by default. */
export function createConcurrencyLimiter(slots: number, limit: QueueLimit, maxPerNetwork?: number): ConcurrencyLimiter {
  const slotCounts = createSlotCounts(slots, maxPerNetwork);
  const queue = createWaitQueue<void>(limit);
  const holders = new Set<SlotHolder>();
  let stallTimer: NodeJS.Timeout | undefined;

  /** Returns the next waiter that may take a slot. Networks that hold no slot come first. */
  const findNextWaiter = () =>
    queue.findNext((network) => slotCounts.count(network) === 0 && slotCounts.mayTake(network)) ??
    queue.findNext(slotCounts.mayTake);

  /** Passes free slots directly to waiters, so that no other caller can take them in between. */
  function admitWaiters(): void {
    for (let next = findNextWaiter(); next !== undefined; next = findNextWaiter()) {
      slotCounts.change(next.network, 1);
      next.serve();
    }
  }

  /** Returns whether a waiter would get the slot of this holder. */
  function isSlotNeeded({ network }: SlotHolder): boolean {
    slotCounts.change(network, -1);
    // Temporarily counts the holder's slot as free.
    const isNeeded = queue.findNext(slotCounts.mayTake) !== undefined;
    slotCounts.change(network, 1);
    return isNeeded;
  }

  /** Disconnects stalled clients whose slots are needed, at most one for each waiter. */
  function disconnectStalledClients(): void {
    let neededSlots = queue.length;
    for (const holder of holders) {
      if (holder.client.measureStall() < MAX_STALL_MS || neededSlots === 0 || !isSlotNeeded(holder)) continue;
      neededSlots -= 1;
      holders.delete(holder);
      holder.client.disconnect();
    }
  }

  /** Registers the holder of an acquired slot and returns the function that releases the slot. */
  function registerHolder(network: string, client: RequestClient | null | undefined): () => void {
    const holder = client ? { client, network } : null;
    if (holder !== null) {
      holders.add(holder);
      stallTimer ??= setInterval(disconnectStalledClients, STALL_CHECK_MS).unref();
    }
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      if (holder !== null) holders.delete(holder);
      if (holders.size === 0) {
        clearInterval(stallTimer);
        stallTimer = undefined;
      }
      slotCounts.change(network, -1);
      admitWaiters();
    };
  }

  async function acquire(waiter: Waiter = {}): Promise<() => void> {
    const network = getNetwork(waiter);
    if (slotCounts.mayTake(network)) slotCounts.change(network, 1);
    else await queue.wait('a slot', waiter);
    return registerHolder(network, waiter.client);
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

/** Runs the work for each item, at most `maxConcurrent` at a time, and returns the results in the order of the items. */
export async function mapConcurrently<Item, Result>(
  maxConcurrent: number,
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  // Shared by the workers: each takes the next item.
  const remainingItems = items.entries();
  // Without yielding, work that never waits would block the event loop for all items.
  const yieldIfDue = createYielder();
  const worker = async () => {
    for (const [index, item] of remainingItems) {
      const pause = yieldIfDue();
      if (pause !== undefined) await pause;
      results[index] = await work(item);
    }
  };
  await Promise.all(Array.from({ length: Math.min(maxConcurrent, items.length) }, worker));
  return results;
}

/** Runs work on the same key one at a time, in the order of the calls. Unused keys take no memory. */
export type KeyedLock = <Result>(key: string, work: () => Promise<Result>, waiter?: Waiter) => Promise<Result>;

/** Creates a keyed lock in which each key has its own bounded queue. */
export function createKeyedLock(limit: QueueLimit): KeyedLock {
  const locksByKey = new Map<string, { readonly limiter: ConcurrencyLimiter; userCount: number }>();
  return async (key, work, waiter) => {
    const lock = locksByKey.get(key) ?? { limiter: createConcurrencyLimiter(1, limit), userCount: 0 };
    locksByKey.set(key, lock);
    lock.userCount += 1;
    try {
      return await lock.limiter.run(work, waiter);
    } finally {
      lock.userCount -= 1;
      if (lock.userCount === 0) locksByKey.delete(key);
    }
  };
}
