/**
 * Yielding to the event loop during long work. A turn is one iteration of the event loop.
 */

/** The network of work without a client. */
const NO_CLIENT = '';

/** Milliseconds that work may occupy the event loop before it yields. */
const MAX_TURN_MS = 10;

/** Work shorter than this, in milliseconds, does not yield, even if other work has used up the turn. */
const SHORT_WORK_MS = 1;

/** Shares event loop turns between long tasks. */
interface LoopTurns {
  /** Returns whether the time of this turn is used up at `now`, in milliseconds. */
  isOver(now: number): boolean;
  /** Resolves in a later turn, one waiter per turn: round-robin between networks, first-in, first-out within a network. */
  next(network: string): Promise<void>;
}

function createLoopTurns(): LoopTurns {
  /** Resolve functions of waiters by network; the network that is served next comes first. */
  const waitersByNetwork = new Map<string, (() => void)[]>();
  let turnStartedAt: number | undefined;
  const takeNextWaiter = () => {
    for (const [network, waiters] of waitersByNetwork) {
      waitersByNetwork.delete(network);
      const next = waiters.shift();
      if (waiters.length > 0) waitersByNetwork.set(network, waiters);
      return next;
    }
    return undefined;
  };
  // Runs in each turn while waiters exist.
  const beginTurn = () => {
    turnStartedAt = undefined;
    const next = takeNextWaiter();
    if (next === undefined) return;
    setImmediate(beginTurn);
    turnStartedAt = performance.now();
    next();
  };
  return {
    isOver(now) {
      if (turnStartedAt === undefined) {
        turnStartedAt = now;
        setImmediate(beginTurn);
      }
      return now - turnStartedAt >= MAX_TURN_MS;
    },
    next: (network) =>
      new Promise((resolve) => {
        const waiters = waitersByNetwork.get(network);
        if (waiters === undefined) waitersByNetwork.set(network, [resolve]);
        else waiters.push(resolve);
      }),
  };
}

const sharedTurns = createLoopTurns();

/**
 * Creates a function for work whose length depends on external input. Call it between small steps: it returns a promise to
 * await when the work must yield, else undefined. If several tasks have yielded, one of them continues in each turn of the
 * event loop.
 */
export function createYielder(): () => Promise<void> | undefined {
  let resumedAt = performance.now();
  const restart = () => {
    resumedAt = performance.now();
  };
  return () => {
    const now = performance.now();
    const elapsedMs = now - resumedAt;
    // The first call of `isOver` in a turn starts the time of that turn.
    const isOver = elapsedMs >= SHORT_WORK_MS && sharedTurns.isOver(now);
    return elapsedMs >= MAX_TURN_MS || isOver ? sharedTurns.next(NO_CLIENT).then(restart) : undefined;
  };
}

/** Number of items that are sorted or filtered without yielding: a locale comparison takes one to two microseconds. */
const CHUNK_LENGTH = 512;

/** Sorts like `toSorted` and yields to the event loop: for lists of unbounded length. */
export async function sortCooperatively<Item>(
  items: readonly Item[],
  compare: (a: Item, b: Item) => number,
): Promise<Item[]> {
  const yieldIfDue = createYielder();
  let sortedChunks: Item[][] = [];
  for (let start = 0; start < items.length; start += CHUNK_LENGTH) {
    sortedChunks.push(items.slice(start, start + CHUNK_LENGTH).sort(compare));
    await yieldIfDue();
  }
  while (sortedChunks.length > 1) {
    const merged: Item[][] = [];
    for (let start = 0; start < sortedChunks.length; start += 2)
      merged.push(await mergeCooperatively(sortedChunks[start]!, sortedChunks[start + 1] ?? [], compare, yieldIfDue));
    sortedChunks = merged;
  }
  return sortedChunks[0] ?? [];
}

/** Merges two sorted lists; of equal items, those of `a` come first. */
async function mergeCooperatively<Item>(
  a: readonly Item[],
  b: readonly Item[],
  compare: (a: Item, b: Item) => number,
  yieldIfDue: () => Promise<void> | undefined,
): Promise<Item[]> {
  const merged: Item[] = [];
  let [indexA, indexB] = [0, 0];
  while (indexA < a.length && indexB < b.length) {
    merged.push(compare(b[indexB]!, a[indexA]!) < 0 ? b[indexB++]! : a[indexA++]!);
    if (merged.length % CHUNK_LENGTH === 0) await yieldIfDue();
  }
  return merged.concat(a.slice(indexA), b.slice(indexB));
}

/** Maps like `map` and yields to the event loop: for lists of unbounded length. */
export async function mapCooperatively<Item, Result>(
  items: readonly Item[],
  convert: (item: Item) => Result,
): Promise<Result[]> {
  const yieldIfDue = createYielder();
  const results: Result[] = [];
  for (const item of items) {
    results.push(convert(item));
    const pause = yieldIfDue();
    if (pause !== undefined) await pause;
  }
  return results;
}

/**
 * Creates a yield function, as `createYielder`, for many callers whose time in one event loop turn counts together. The networks
 * of their clients take turns.
 */
export function createSharedYielder(): (client?: { readonly network: string }) => Promise<void> | undefined {
  const turns = createLoopTurns();
  return (client) => (turns.isOver(performance.now()) ? turns.next(client?.network ?? NO_CLIENT) : undefined);
}
