import type { Database } from '#database/database.ts';
import { type Clock, timestamp } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';
import { listDue, markStarted, type Pool, type RegistryRow } from './registry.ts';

/** Concurrency limit of each pool. */
type Capacities = Readonly<Record<Pool, number>>;

/** Processes a copy; `onFailure` stores a failure, but is not called while stopping. */
export interface Worker {
  run(copy: RegistryRow): Promise<void>;
  onFailure(copy: RegistryRow, error: unknown): Promise<void>;
}

interface WorkerPoolOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly workers: Readonly<Record<Pool, Worker>>;
  /** Returns the current limits; null: do nothing. */
  readonly getLimits: () => Capacities | null;
}

/** Processes due copies with limited concurrency. */
interface WorkerPool {
  /** Starts due work. */
  startDue(): void;
  /** Resolves when nothing is due or in progress. */
  idle(): Promise<void>;
  /** Returns the number of processed copies since the last call. */
  takeCounts(): Readonly<Record<Pool, number>>;
  /** Starts nothing new and waits for work in progress. */
  stop(): Promise<void>;
}

const POOLS = ['repository', 'blob', 'verification'] as const satisfies Pool[];
const createZeroCounts = (): Record<Pool, number> => ({ repository: 0, blob: 0, verification: 0 });

export function createWorkerPool({ database, clock, log, workers, getLimits }: WorkerPoolOptions): WorkerPool {
  const busyCopies = new Map<number, Promise<void>>();
  const runningCounts = createZeroCounts();
  let finishedCounts = createZeroCounts();
  let currentScan: Promise<void> | null = null;
  let isScanPending = false;
  let isStopping = false;

  const fillPool = async (pool: Pool): Promise<void> => {
    const freeCapacity = (getLimits()?.[pool] ?? 0) - runningCounts[pool];
    if (freeCapacity <= 0) return;
    // Copies that are still being processed may be due again.
    const dueCopies = await listDue(database.reader, pool, timestamp(clock), freeCapacity + busyCopies.size);
    const idleCopies = dueCopies.filter(({ id }) => !busyCopies.has(id)).slice(0, freeCapacity);
    if (idleCopies.length === 0) return;
    await database.transaction(async (tx) => {
      for (const copy of idleCopies) await markStarted(tx, copy);
    });
    for (const copy of idleCopies) start(pool, copy);
  };

  const start = (pool: Pool, copy: RegistryRow): void => {
    runningCounts[pool]++;
    const copyPromise = processCopy(pool, copy)
      .catch((error) => log.error({ err: error, ...getLogFields(copy) }, 'Storing the result of a copy failed'))
      .then(() => {
        runningCounts[pool]--;
        finishedCounts[pool]++;
        busyCopies.delete(copy.id);
        startDue();
      });
    busyCopies.set(copy.id, copyPromise);
  };

  const processCopy = async (pool: Pool, copy: RegistryRow): Promise<void> => {
    try {
      await workers[pool].run(copy);
    } catch (error) {
      // Aborted work is started again by the next process (`resumeInterrupted`).
      if (isStopping) return;
      log.warn({ err: error, ...getLogFields(copy), retries: copy.retries }, 'Processing a copy failed');
      await workers[pool].onFailure(copy, error);
    }
  };

  const scanOnce = async (): Promise<void> => {
    for (const pool of POOLS) if (!isStopping) await fillPool(pool);
  };

  /** Runs one scan at a time; a call during a scan triggers another one. */
  const startDue = (): void => {
    if (isStopping) return;
    if (currentScan !== null) {
      isScanPending = true;
      return;
    }
    isScanPending = false;
    currentScan = scanOnce()
      .catch((error) => log.warn({ err: error }, 'Scanning for due copies failed'))
      .then(() => {
        currentScan = null;
        if (isScanPending) startDue();
      });
  };

  const idle = async (): Promise<void> => {
    while (currentScan !== null || busyCopies.size > 0) await (currentScan ?? Promise.race(busyCopies.values()));
  };

  return {
    startDue,
    idle,
    takeCounts() {
      const counts = finishedCounts;
      finishedCounts = createZeroCounts();
      return counts;
    },
    async stop() {
      isStopping = true;
      await idle();
    },
  };
}

const getLogFields = ({ replicable_name, replicable_id }: RegistryRow) => ({ replicable_name, replicable_id });
