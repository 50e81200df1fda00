/** Lets a few through at once; the others wait in the order in which they came. Both fail with `QueueFull` where the line is full. */
export interface Gate {
  enter<Result>(work: () => Promise<Result>, waiter?: Waiter): Promise<Result>;
  /** Enters without work; the place is free again when the function is called, be it once or oftener. */
  take(waiter?: Waiter): Promise<() => void>;
}

/** Whoever asked for something, and may lose interest before it is there. */
export interface Client {
  /** It went away. */
  readonly gone: boolean;
  /** Aborted when it goes away. Asked for by those who wait: not all can make one at no cost. */
  readonly signal: AbortSignal;
}

export interface Waiter {
  /** For whom it is: his place in the line is given up when he goes. Null: for nobody who could go. */
  readonly client?: Client | null | undefined;
  /** What has begun and must come to its end waits however many are before it. */
  readonly owed?: boolean | undefined;
}

/** The end of the line before a gate. */
export interface Line {
  /** How many wait at most. */
  readonly waiting: number;
  /** When whoever finds the line full had better come back, in whole seconds. */
  readonly retryAfter: number;
}

/** So many wait already that one more would wait for too long: a request is answered 503, with `Retry-After`. */
export class QueueFull extends Error {
  readonly retryAfter: number;

  constructor({ waiting, retryAfter }: Line) {
    super(`${waiting} others are waiting already`);
    this.retryAfter = retryAfter;
  }
}

/** Whoever waited has gone away. */
export class WaiterGone extends Error {
  constructor() {
    super('The client went away while it waited');
  }
}

/** Those who wait, in the order in which they came. */
export interface Queue<Given> {
  readonly length: number;
  /** Who comes next; undefined: nobody waits. */
  first(): Waiting<Given> | undefined;
  /** Resolves when it is his turn, with what he is given. Fails with `QueueFull`, and with `WaiterGone` when he goes. */
  wait(about: string, waiter?: Waiter): Promise<Given>;
}

interface Waiting<Given> {
  /** What he waits for. */
  readonly about: string;
  /** Takes him out of the line. */
  go(given: Given): void;
}

export function queue<Given>(line: Line): Queue<Given> {
  const waiting = new Set<Waiting<Given>>();
  return {
    get length() {
      return waiting.size;
    },
    first: () => waiting.values().next().value,
    async wait(about, { client, owed = false } = {}) {
      if (!owed && waiting.size >= line.waiting) throw new QueueFull(line);
      if (client?.gone) throw new WaiterGone();
      return new Promise((resolve, reject) => {
        const leave = () => {
          waiting.delete(one);
          reject(new WaiterGone());
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

/** A gate with so many places, before which so many wait. */
export function gate(places: number, line: Line): Gate {
  let free = places;
  const waiting = queue<void>(line);

  function leave(): void {
    const next = waiting.first();
    // The place goes straight to the next one in line, so that nobody can slip in between.
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
    take,
    enter: async (work, waiter) => {
      const done = await take(waiter);
      try {
        return await work();
      } finally {
        done();
      }
    },
  };
}

/** The work of each, of at most so many at the same time: nobody else waits for them, as before a gate. */
export async function eachOf<Item, Result>(
  most: number,
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const left = items.entries();
  // Work that waits for nothing is one turn of the event loop, however many items there are.
  const giveWay = givingWay();
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

/** How long work may go on before others have their turn, in milliseconds. */
const TURN = 10;

/** Work that has had no more than this does not wait for what others do in the same turn of the event loop. */
const LITTLE = 1;

/** The turns of the event loop, shared by those who may be at work in the same one. */
interface LoopTurns {
  /** Whether those at work have had this turn. */
  isOver(now: number): boolean;
  /** Waits for a turn of one's own: one is given in each, in the order in which they were asked for. */
  next(): Promise<void>;
}

function loopTurns(): LoopTurns {
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
      return now - since >= TURN;
    },
    next: () => new Promise((resolve) => waiting.push(resolve)),
  };
}

const longWork = loopTurns();

/**
 * For work that is long because of what came from outside: called between small steps, it gives what is to be awaited
 * when this one has had its turn, and nothing while it may go on. However many are at work, one of them goes on in each turn.
 */
export function givingWay(): () => Promise<void> | undefined {
  let since = performance.now();
  const goOn = () => {
    since = performance.now();
  };
  return () => {
    const now = performance.now();
    const own = now - since;
    // Asked in any case: from the first of all who are at work this turn is counted.
    const isOver = own >= LITTLE && longWork.isOver(now);
    return own >= TURN || isOver ? longWork.next().then(goOn) : undefined;
  };
}

/** Sorted, or looked at, in one go: comparing two texts by what they mean takes a microsecond or two. */
const RUN = 512;

/** What `toSorted` gives, for lists of which there is no telling how long they are: others have their turns meanwhile. */
export async function sortedInTurns<Item>(
  items: readonly Item[],
  compare: (a: Item, b: Item) => number,
): Promise<Item[]> {
  const giveWay = givingWay();
  let runs: Item[][] = [];
  for (let at = 0; at < items.length; at += RUN) {
    runs.push(items.slice(at, at + RUN).sort(compare));
    await giveWay();
  }
  while (runs.length > 1) {
    const merged: Item[][] = [];
    for (let at = 0; at < runs.length; at += 2) {
      merged.push(await mergedInTurns(runs[at]!, runs[at + 1] ?? [], compare, giveWay));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

/** Of two that are equal, that of `a` comes first. */
async function mergedInTurns<Item>(
  a: readonly Item[],
  b: readonly Item[],
  compare: (a: Item, b: Item) => number,
  giveWay: () => Promise<void> | undefined,
): Promise<Item[]> {
  const merged: Item[] = [];
  let [fromA, fromB] = [0, 0];
  while (fromA < a.length && fromB < b.length) {
    merged.push(compare(b[fromB]!, a[fromA]!) < 0 ? b[fromB++]! : a[fromA++]!);
    if (merged.length % RUN === 0) await giveWay();
  }
  return merged.concat(a.slice(fromA), b.slice(fromB));
}

/** What `filter` gives, likewise. */
export async function filteredInTurns<Item>(items: readonly Item[], wanted: (item: Item) => boolean): Promise<Item[]> {
  const giveWay = givingWay();
  const found: Item[] = [];
  for (const [index, item] of items.entries()) {
    if (wanted(item)) found.push(item);
    if (index % RUN === RUN - 1) await giveWay();
  }
  return found;
}

/** The same for the work of many that is one work, whoever began it: what they do in one turn of the event loop counts together. */
export function givingWayTogether(): () => Promise<void> | undefined {
  const turns = loopTurns();
  return () => (turns.isOver(performance.now()) ? turns.next() : undefined);
}

/** Work on one key at a time, in the order in which it came; keys that nobody works on are forgotten. */
export type TurnsPerKey = <Result>(key: string, work: () => Promise<Result>, waiter?: Waiter) => Promise<Result>;

/** Each key has a line of its own. */
export function turnsPerKey(line: Line): TurnsPerKey {
  const turns = new Map<string, { readonly gate: Gate; users: number }>();
  return async (key, work, waiter) => {
    const turn = turns.get(key) ?? { gate: gate(1, line), users: 0 };
    turns.set(key, turn);
    turn.users += 1;
    try {
      return await turn.gate.enter(work, waiter);
    } finally {
      turn.users -= 1;
      if (turn.users === 0) turns.delete(key);
    }
  };
}
