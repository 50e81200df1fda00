/** Yielding to the event loop during long work. */

/** The network of work that no client waits for. */
const NO_CLIENT = '';

/** Milliseconds that work may occupy the event loop before it yields. */
const TURN_MS = 10;

/** Work shorter than these milliseconds does not yield because of other work in the same event loop turn. */
const SHORT_WORK_MS = 1;

/** Event loop turns, shared by all work that may run in the same turn. */
interface LoopTurns {
  /** Returns whether the time of this turn is used up. */
  isOver(now: number): boolean;
  /** Resolves in a later turn: one waiter per turn. Networks take turns, those of one network in the order of the calls. */
  next(network: string): Promise<void>;
}

function createLoopTurns(): LoopTurns {
  /** In the order of their turns. */
  const networks = new Map<string, (() => void)[]>();
  let since: number | undefined;
  const takeNext = () => {
    for (const [network, waiting] of networks) {
      networks.delete(network);
      const next = waiting.shift();
      if (waiting.length > 0) networks.set(network, waiting);
      return next;
    }
    return undefined;
  };
  const begin = () => {
    since = undefined;
    const next = takeNext();
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
    next: (network) =>
      new Promise((resolve) => {
        const waiting = networks.get(network);
        if (waiting === undefined) networks.set(network, [resolve]);
        else waiting.push(resolve);
      }),
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
    return own >= TURN_MS || isOver ? longWork.next(NO_CLIENT).then(restart) : undefined;
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

/**
 * Creates a yield function, as `createYielder`, for many callers whose time in one event loop turn counts together. The networks
 * of their clients take turns.
 */
export function createSharedYielder(): (client?: { readonly network: string }) => Promise<void> | undefined {
  const turns = createLoopTurns();
  return (client) => (turns.isOver(performance.now()) ? turns.next(client?.network ?? NO_CLIENT) : undefined);
}
