import type { Database } from '#database/database.ts';
import { type Clock, timestamp } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';
import { begin, type Copy, dueIn, type Pool } from './registry.ts';

/** How many copies are worked on at once, of each kind. */
export type Capacities = Readonly<Record<Pool, number>>;

/** What is done with a copy, and what is written down when that fails; the latter of nobody who is stopping. */
export interface Worker {
  work(copy: Copy): Promise<void>;
  giveUp(copy: Copy, error: unknown): Promise<void>;
}

interface WorkOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly workers: Readonly<Record<Pool, Worker>>;
  /** At this moment; null: nothing is to be done at present. */
  readonly capacities: () => Capacities | null;
}

/** Does what is due, as much of it at the same time as the site may. */
export interface Work {
  /** Looks for what is due. */
  look(): void;
  /** Resolves when nothing is due and nobody is at work. */
  settled(): Promise<void>;
  /** How many copies were worked on since this was asked last. */
  done(): Readonly<Record<Pool, number>>;
  /** Begins nothing any more, and waits for what is under way. */
  stop(): Promise<void>;
}

const POOLS = ['repository', 'blob', 'verification'] as const satisfies Pool[];
const none = (): Record<Pool, number> => ({ repository: 0, blob: 0, verification: 0 });

export function createWork({ database, clock, log, workers, capacities }: WorkOptions): Work {
  const busy = new Map<number, Promise<void>>();
  const running = none();
  let finished = none();
  let looking: Promise<void> | null = null;
  let lookAgain = false;
  let stopping = false;

  const fill = async (pool: Pool): Promise<void> => {
    const room = (capacities()?.[pool] ?? 0) - running[pool];
    if (room <= 0) return;
    const due = await dueIn(database.reader, pool, timestamp(clock), room + busy.size);
    const free = due.filter(({ id }) => !busy.has(id)).slice(0, room);
    if (free.length === 0) return;
    await database.transaction(async (tx) => {
      for (const copy of free) await begin(tx, copy);
    });
    for (const copy of free) start(pool, copy);
  };

  const start = (pool: Pool, copy: Copy): void => {
    running[pool]++;
    const done = workOn(pool, copy)
      .catch((error) => log.error({ err: error, ...nameOf(copy) }, 'What became of a copy could not be written down'))
      .then(() => {
        running[pool]--;
        finished[pool]++;
        busy.delete(copy.id);
        look();
      });
    busy.set(copy.id, done);
  };

  const workOn = async (pool: Pool, copy: Copy): Promise<void> => {
    try {
      await workers[pool].work(copy);
    } catch (error) {
      // What is broken off is begun again by the next process (`resume`).
      if (stopping) return;
      log.warn({ err: error, ...nameOf(copy), retries: copy.retries }, 'A copy could not be worked on');
      await workers[pool].giveUp(copy, error);
    }
  };

  const lookOnce = async (): Promise<void> => {
    for (const pool of POOLS) if (!stopping) await fill(pool);
  };

  /** One look at a time; a call during one makes another follow. */
  const look = (): void => {
    if (stopping) return;
    if (looking !== null) {
      lookAgain = true;
      return;
    }
    lookAgain = false;
    looking = lookOnce()
      .catch((error) => log.warn({ err: error }, 'Nobody could look for what is to be copied'))
      .then(() => {
        looking = null;
        if (lookAgain) look();
      });
  };

  const settled = async (): Promise<void> => {
    while (looking !== null || busy.size > 0) await (looking ?? Promise.race(busy.values()));
  };

  return {
    look,
    settled,
    done() {
      const told = finished;
      finished = none();
      return told;
    },
    async stop() {
      stopping = true;
      await settled();
    },
  };
}

const nameOf = ({ replicable_name, replicable_id }: Copy) => ({ replicable_name, replicable_id });
