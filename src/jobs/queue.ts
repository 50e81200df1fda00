import { randomUUID } from 'node:crypto';
import { uniqueViolation } from '#database/constraint-violations.ts';
import { type Database, DatabaseUnavailable, type Transaction } from '#database/database.ts';
import { type Clock, momentAfter, timestamp } from '#runtime/clock.ts';
import { type Job, onWorkAdded } from './job.ts';
import { addScheduledWork, type Schedule, storedSchedules, storeSchedules } from './schedules.ts';
import {
  buryJob,
  type ClaimedJob,
  claimJobs,
  extendLeases,
  forgetLeases,
  releaseJob,
  removeJob,
  someJobIsDue,
} from './store.ts';

/** The part of this process that does the work of the queue. */
export interface Queue {
  /** Begins to work, and looks for due work of other processes every second. */
  start(): Promise<void>;
  /** Takes no more work, waits for what runs (at most `patience` milliseconds), and leaves the rest to others. */
  stop(patience?: number): Promise<void>;
  /** For tests: adds what schedules ask for, runs everything that is due until nothing is, and tells how many runs that were. */
  runDue(): Promise<number>;
  /** Calls `listener` whenever nothing is running and nothing due is left; returns what ends that. */
  afterBatch(listener: (batch: Batch) => void): () => void;
}

export interface Batch {
  /** How many jobs were run since the batch before. */
  readonly ran: number;
}

export interface QueueOptions<Services> {
  readonly database: Database;
  readonly clock: Clock;
  /** Handed to every handler. */
  readonly services: Services;
  readonly jobs: readonly Job<Services, never>[];
  readonly schedules?: readonly Schedule<Services>[];
  /** How many short jobs run at once in this process; default 4. */
  readonly concurrency?: number;
  /** How many long ones do besides; default 5. */
  readonly longConcurrency?: number;
  /** How many do that wait for servers of others; default 10. */
  readonly farConcurrency?: number;
  /** No other process works for this database: what one that died was running is due at once. */
  readonly alone?: boolean;
  /** Cleans the text of an error before it is stored. */
  readonly redact?: (text: string) => string;
  readonly log?: QueueLog;
}

interface QueueLog {
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

/** Milliseconds. A lease is prolonged three times before it would run out. */
const LEASE_TIME = 60_000;
const HEARTBEAT = 20_000;
const POLL_INTERVAL = 1_000;
const DRAIN_TIME = 10_000;

const DEFAULT_MAX_ATTEMPTS = 10;
const LONGEST_ERROR_TEXT = 2_000;

/** How long failed work rests before it is tried again, in milliseconds: 10 s, 20 s, 40 s ... at most an hour. */
export function restAfter(attempt: number): number {
  return Math.min(3_600_000, 5_000 * 2 ** attempt);
}

export function createQueue<Services>(options: QueueOptions<Services>): Queue {
  const { database, clock, services, schedules = [], redact = (text) => text, log } = options;
  const jobs = byKind(options.jobs);
  const lanes = [
    { kinds: kindsOf(jobs, 'short'), places: options.concurrency ?? 4 },
    { kinds: kindsOf(jobs, 'long'), places: options.longConcurrency ?? 5 },
    { kinds: kindsOf(jobs, 'far'), places: options.farConcurrency ?? 10 },
  ].filter(({ kinds }) => kinds.length > 0);
  const owner = randomUUID();
  const running = new Map<number, { readonly claimed: ClaimedJob; readonly done: Promise<void> }>();
  const listeners = new Set<(batch: Batch) => void>();
  const stopping = new AbortController();
  let working = false;
  let ran = 0;
  let looking: Promise<void> | undefined;
  let lookAgain = false;
  let nextScheduled: string | undefined;
  let timers: NodeJS.Timeout[] = [];
  let endWakeUps = () => {};

  const later = (milliseconds: number) => momentAfter(timestamp(clock), milliseconds);

  const allDone = () => Promise.all([...running.values()].map(({ done }) => done));

  const settle = async (work: (tx: Transaction) => Promise<void>) => {
    // Read committed: these touch rows that this owner has leased, nobody else's.
    for (let tries = 0; ; tries++) {
      try {
        return await database.transaction(work, { isolation: 'read committed', owed: true });
      } catch (error) {
        // The same work was added between our look for it and our own release.
        if (uniqueViolation(error) === null || tries === 3) throw error;
      }
    }
  };

  const runOne = async (claimed: ClaimedJob): Promise<void> => {
    const job = jobs.get(claimed.kind)!;
    const maxAttempts = job.maxAttempts ?? DEFAULT_MAX_ATTEMPTS;
    try {
      if (claimed.attempts > maxAttempts) throw new Error('Its process ended while it was running');
      const run = { id: claimed.id, attempt: claimed.attempts, signal: stopping.signal };
      await job.handle(services, JSON.parse(claimed.payload) as never, run);
    } catch (error) {
      const text = redact(textOf(error)).slice(0, LONGEST_ERROR_TEXT);
      const dead = claimed.attempts >= maxAttempts;
      log?.warn({ kind: claimed.kind, job: claimed.id, attempt: claimed.attempts, error: text, dead }, 'A job failed');
      await settle((tx) =>
        dead
          ? giveUp(tx, claimed, text)
          : releaseJob(tx, owner, claimed.id, { runAt: later(restAfter(claimed.attempts)), error: text }),
      );
      return;
    }
    await settle((tx) => removeJob(tx, owner, claimed.id));
  };

  const giveUp = async (tx: Transaction, { id, kind, payload }: ClaimedJob, error: string): Promise<void> => {
    if (await buryJob(tx, owner, id, error)) await jobs.get(kind)!.givenUp?.(tx, JSON.parse(payload) as never);
  };

  const begin = (claimed: ClaimedJob): void => {
    const done = runOne(claimed)
      .catch((error) => log?.error({ err: error, kind: claimed.kind, job: claimed.id }, 'A job could not be settled'))
      .then(() => {
        running.delete(claimed.id);
        ran++;
        if (working) look();
      });
    running.set(claimed.id, { claimed, done });
  };

  /** Takes as much due work as there is room for, and begins it; how much it was. */
  const claim = async (): Promise<number> => {
    const free = lanes
      .map(({ kinds, places }) => ({ kinds, limit: places - runningOf(kinds) }))
      .filter(({ limit }) => limit > 0);
    if (free.length === 0) return 0;
    if ((await someJobIsDue.first(database.reader, { now: timestamp(clock) })) === undefined) return 0;
    let begun = 0;
    for (const { kinds, limit } of free) {
      const claimed = await database.transaction(
        (tx) => claimJobs(tx, { owner, leaseUntil: later(LEASE_TIME), kinds, running: [...running.keys()], limit }),
        { isolation: 'read committed' },
      );
      for (const job of claimed) begin(job);
      begun += claimed.length;
    }
    return begun;
  };

  const runningOf = (kinds: readonly string[]): number =>
    [...running.values()].filter(({ claimed }) => kinds.includes(claimed.kind)).length;

  const addScheduled = async (): Promise<void> => {
    if (nextScheduled === undefined || nextScheduled > timestamp(clock)) return;
    await addScheduledWork(database, schedules);
    await readSchedules();
  };

  const readSchedules = async (): Promise<void> => {
    const known = new Set(schedules.map(({ name }) => name));
    const stored = (await storedSchedules(database.reader)).filter(({ name }) => known.has(name));
    nextScheduled = stored.map((row) => row.next_run_at).sort()[0];
  };

  const prepareSchedules = async (): Promise<void> => {
    if (schedules.length === 0) return;
    await storeSchedules(database, schedules);
    await readSchedules();
  };

  const tellListeners = (): void => {
    const batch = { ran };
    ran = 0;
    for (const listener of listeners) listener(batch);
  };

  const lookOnce = async (): Promise<void> => {
    await addScheduled();
    const begun = await claim();
    if (begun === 0 && running.size === 0) tellListeners();
  };

  /** One look at a time; a call during one makes another follow. */
  const look = (): void => {
    if (looking) {
      lookAgain = true;
      return;
    }
    lookAgain = false;
    looking = lookOnce()
      .catch((error) => {
        if (error instanceof DatabaseUnavailable) log?.warn({ err: error }, 'The queue waits for the database');
        else log?.error({ err: error }, 'The queue could not look for work');
      })
      .then(() => {
        looking = undefined;
        if (working && lookAgain) look();
      });
  };

  const keepLeases = (): void => {
    const ids = [...running.keys()];
    if (ids.length === 0) return;
    settle((tx) => extendLeases(tx, owner, ids, later(LEASE_TIME))).catch((error) =>
      log?.error({ err: error }, 'The leases of running jobs could not be prolonged'),
    );
  };

  return {
    async start() {
      if (options.alone) await settle(forgetLeases);
      await prepareSchedules();
      working = true;
      timers = [setInterval(look, POLL_INTERVAL), setInterval(keepLeases, HEARTBEAT)];
      endWakeUps = onWorkAdded(look);
      look();
    },
    async stop(patience = DRAIN_TIME) {
      working = false;
      for (const timer of timers) clearInterval(timer);
      endWakeUps();
      await looking;
      await atMost(patience, allDone());
      stopping.abort();
      for (const { claimed } of running.values()) {
        // Its attempt does not count: it was not its fault.
        const attempts = claimed.attempts - 1;
        await settle((tx) => releaseJob(tx, owner, claimed.id, { runAt: tx.now, attempts }));
      }
    },
    async runDue() {
      await prepareSchedules();
      for (let total = 0; ; ) {
        await addScheduled();
        const begun = await claim();
        total += begun;
        await allDone();
        if (begun === 0) {
          tellListeners();
          return total;
        }
      }
    },
    afterBatch(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function byKind<Services>(jobs: readonly Job<Services, never>[]): Map<string, Job<Services, never>> {
  const map = new Map(jobs.map((job) => [job.kind, job]));
  if (map.size < jobs.length) {
    const twice = jobs.find((job) => map.get(job.kind) !== job)!;
    throw new Error(`Two jobs are called ${twice.kind}`);
  }
  return map;
}

type Lane = 'short' | 'long' | 'far';

function kindsOf<Services>(jobs: ReadonlyMap<string, Job<Services, never>>, lane: Lane): string[] {
  const laneOf = ({ long, far }: Job<Services, never>): Lane => (far ? 'far' : long ? 'long' : 'short');
  return [...jobs.values()].filter((job) => laneOf(job) === lane).map(({ kind }) => kind);
}

function textOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

async function atMost(milliseconds: number, work: Promise<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  await Promise.race([work, promise]);
  clearTimeout(timer);
}
