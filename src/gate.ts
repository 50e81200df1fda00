/** Lets a few through at once; the others wait in the order in which they came. Both fail with `LineFull` where the line has an end. */
export interface Gate {
  enter<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Enters without work; the place is free again when the function is called, be it once or oftener. */
  take(): Promise<() => void>;
}

/** The end of the line before a gate. */
interface Line {
  /** How many wait at most. */
  readonly waiting: number;
  /** When whoever finds the line full had better come back, in whole seconds. */
  readonly retryAfter: number;
}

/** So many wait already that one more would wait for too long: a request is answered 503, with `Retry-After`. */
export class LineFull extends Error {
  readonly retryAfter: number;

  constructor({ waiting, retryAfter }: Line) {
    super(`${waiting} others are waiting already`);
    this.retryAfter = retryAfter;
  }
}

/** A gate with so many places; with a `line`, only so many wait for one. */
export function gate(places: number, line?: Line): Gate {
  let free = places;
  const waiting: (() => void)[] = [];

  function leave(): void {
    const next = waiting.shift();
    // The place goes straight to the next one in line, so that nobody can slip in between.
    if (next === undefined) free += 1;
    else next();
  }

  async function take(): Promise<() => void> {
    if (free > 0) free -= 1;
    else if (line !== undefined && waiting.length >= line.waiting) throw new LineFull(line);
    else await new Promise<void>((resolve) => waiting.push(resolve));
    let left = false;
    return () => {
      if (!left) leave();
      left = true;
    };
  }

  return {
    take,
    enter: async (work) => {
      const done = await take();
      try {
        return await work();
      } finally {
        done();
      }
    },
  };
}

/** How long work may go on before others have their turn, in milliseconds. */
const TURN = 10;

/**
 * For work that is long because of what came from outside: called between small steps, it gives what is to be awaited
 * when this one has had its turn, and nothing while it may go on.
 */
export function givingWay(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < TURN) return undefined;
    return new Promise((resolve) => {
      setImmediate(() => {
        since = performance.now();
        resolve();
      });
    });
  };
}

/** Work on one key at a time, in the order in which it came; keys that nobody works on are forgotten. */
export type TurnsPerKey = <Result>(key: string, work: () => Promise<Result>) => Promise<Result>;

export function turnsPerKey(): TurnsPerKey {
  const turns = new Map<string, { readonly gate: Gate; users: number }>();
  return async (key, work) => {
    const turn = turns.get(key) ?? { gate: gate(1), users: 0 };
    turns.set(key, turn);
    turn.users += 1;
    try {
      return await turn.gate.enter(work);
    } finally {
      turn.users -= 1;
      if (turn.users === 0) turns.delete(key);
    }
  };
}
