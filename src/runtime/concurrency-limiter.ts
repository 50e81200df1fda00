/** A semaphore with a bounded first-in, first-out queue. Both functions fail with `QueueFull` when the queue is full. */
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
}

export interface Waiter {
  /** The client that waits: its queue entry is removed when it disconnects. Null: no client. */
  readonly client?: RequestClient | null | undefined;
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

/** Waiters in first-in, first-out order. */
export interface WaitQueue<Given> {
  readonly length: number;
  /** Returns the next waiter, or undefined if the queue is empty. */
  first(): QueueEntry<Given> | undefined;
  /** Resolves with the resource when it is this waiter's turn. Fails with `QueueFull` or `ClientDisconnected`. */
  wait(about: string, waiter?: Waiter): Promise<Given>;
}

interface QueueEntry<Given> {
  /** What the waiter waits for. */
  readonly about: string;
  /** Removes the entry from the queue and resolves its promise. */
  go(given: Given): void;
}

export function createWaitQueue<Given>(line: QueueLimit): WaitQueue<Given> {
  const waiting = new Set<QueueEntry<Given>>();
  return {
    get length() {
      return waiting.size;
    },
    first: () => waiting.values().next().value,
    async wait(about, { client, exemptFromLimit = false } = {}) {
      if (!exemptFromLimit && waiting.size >= line.maxWaiting) throw new QueueFull(line);
      if (client?.isDisconnected) throw new ClientDisconnected();
      return new Promise((resolve, reject) => {
        const leave = () => {
          waiting.delete(one);
          reject(new ClientDisconnected());
        };
        const one = {
          about,
          go(given: Given) {
            waiting.delete(one);
            client?.signal.removeEventListener('abort', leave);
            resolve(given);
          },
        };
        waiting.add(one);
        client?.signal.addEventListener('abort', leave, { once: true });
      });
    },
  };
}

/** Creates a limiter with a number of slots and a bounded queue. */
export function createConcurrencyLimiter(places: number, line: QueueLimit): ConcurrencyLimiter {
  let free = places;
  const waiting = createWaitQueue<void>(line);

  function leave(): void {
    const next = waiting.first();
    // The slot passes directly to the next waiter, so that no other caller can take it in between.
    if (next === undefined) free += 1;
    else next.go();
  }

  async function take(waiter?: Waiter): Promise<() => void> {
    if (free > 0) free -= 1;
    else await waiting.wait('a place', waiter);
    let left = false;
    return () => {
      if (!left) leave();
      left = true;
    };
  }

  return {
    acquire: take,
    run: async (work, waiter) => {
      const done = await take(waiter);
      try {
        return await work();
      } finally {
        done();
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

/** Milliseconds that work may occupy the event loop before it yields. */
const TURN_MS = 10;

/** Work shorter than these milliseconds does not yield because of other work in the same event loop turn. */
const SHORT_WORK_MS = 1;

/** Event loop turns, shared by all work that may run in the same turn. */
interface LoopTurns {
  /** Returns whether the time of this turn is used up. */
  isOver(now: number): boolean;
  /** Resolves in a later turn: one waiter per turn, in the order of the calls. */
  next(): Promise<void>;
}

function createLoopTurns(): LoopTurns {
  const waiting: (() => void)[] = [];
  let since: number | undefined;
  const begin = () => {
    since = undefined;
    const next = waiting.shift();
    if (next === undefined) return;
    setImmediate(begin);
    since = performance.now();
    next();
  };
  return {
    isOver(now) {
      if (since === undefined) {
        since = now;
        setImmediate(begin);
      }
      return now - since >= TURN_MS;
    },
    next: () => new Promise((resolve) => waiting.push(resolve)),
  };
}

const longWork = createLoopTurns();

/**
 * Creates a function for work whose length depends on external input. Call it between small steps: it returns a promise to
 * await when the work must yield, else undefined. Of all such work, one continues in each event loop turn.
 */
export function createYielder(): () => Promise<void> | undefined {
  let since = performance.now();
  const restart = () => {
    since = performance.now();
  };
  return () => {
    const now = performance.now();
    const own = now - since;
    // Always called: the first call in a turn starts its time.
    const isOver = own >= SHORT_WORK_MS && longWork.isOver(now);
    return own >= TURN_MS || isOver ? longWork.next().then(restart) : undefined;
  };
}

/** Items that are sorted or filtered without yielding: comparing two texts by locale takes a microsecond or two. */
const RUN_LENGTH = 512;

/** Sorts like `toSorted` and yields to the event loop: for lists of unbounded length. */
export async function sortCooperatively<Item>(
  items: readonly Item[],
  compare: (a: Item, b: Item) => number,
): Promise<Item[]> {
  const giveWay = createYielder();
  let runs: Item[][] = [];
  for (let at = 0; at < items.length; at += RUN_LENGTH) {
    runs.push(items.slice(at, at + RUN_LENGTH).sort(compare));
    await giveWay();
  }
  while (runs.length > 1) {
    const merged: Item[][] = [];
    for (let at = 0; at < runs.length; at += 2) {
      merged.push(await mergeCooperatively(runs[at]!, runs[at + 1] ?? [], compare, giveWay));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

/** Merges two sorted lists; of equal items, those of `a` come first. */
async function mergeCooperatively<Item>(
  a: readonly Item[],
  b: readonly Item[],
  compare: (a: Item, b: Item) => number,
  giveWay: () => Promise<void> | undefined,
): Promise<Item[]> {
  const merged: Item[] = [];
  let [fromA, fromB] = [0, 0];
  while (fromA < a.length && fromB < b.length) {
    merged.push(compare(b[fromB]!, a[fromA]!) < 0 ? b[fromB++]! : a[fromA++]!);
    if (merged.length % RUN_LENGTH === 0) await giveWay();
  }
  return merged.concat(a.slice(fromA), b.slice(fromB));
}

/** Filters like `filter` and yields to the event loop: for lists of unbounded length. */
export async function filterCooperatively<Item>(
  items: readonly Item[],
  wanted: (item: Item) => boolean,
): Promise<Item[]> {
  const giveWay = createYielder();
  const found: Item[] = [];
  for (const [index, item] of items.entries()) {
    if (wanted(item)) found.push(item);
    if (index % RUN_LENGTH === RUN_LENGTH - 1) await giveWay();
  }
  return found;
}

/** Creates a yield function, as `createYielder`, for many callers whose time in one event loop turn counts together. */
export function createSharedYielder(): () => Promise<void> | undefined {
  const turns = createLoopTurns();
  return () => (turns.isOver(performance.now()) ? turns.next() : undefined);
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
