import { randomUUID } from 'node:crypto';
import { getViolatedUniqueIndex } from '#database/constraint-violations.ts';
import { type Database, DatabaseUnavailable, type Transaction } from '#database/database.ts';
import { addMilliseconds, type Clock, timestamp } from '#runtime/clock.ts';
import { type JobDefinition, onJobEnqueued } from './job.ts';
import { enqueueDueSchedules, listStoredSchedules, type Schedule, storeSchedules } from './schedules.ts';
import {
  claimJobs,
  deleteJob,
  extendLeases,
  findDueJob,
  findDueSuspect,
  findExpiredLease,
  type LeasedJob,
  markJobDead,
  releaseAbandonedLeases,
  releaseJob,
} from './store.ts';

/** Runs background jobs in this process. */
export interface JobQueue {
  /** Starts to run jobs, and checks every second for due jobs that other processes enqueued. */
  start(): Promise<void>;
  /** Stops claiming jobs, waits for running ones (at most `drainMs` milliseconds), and releases the rest. */
  stop(drainMs?: number): Promise<void>;
  /** For tests: runs due schedules and jobs until nothing is due. Returns the number of runs. */
  runDue(): Promise<number>;
  /** Calls `listener` whenever no job is running or due, until the returned function is called. */
  afterBatch(listener: (batch: JobBatch) => void): () => void;
}

export interface JobBatch {
  /** Number of jobs that ran since the previous batch. */
  readonly jobCount: number;
}

export interface JobQueueOptions<Services> {
  readonly database: Database;
  readonly clock: Clock;
  /** Passed to each handler. */
  readonly services: Services;
  readonly jobs: readonly JobDefinition<Services, never>[];
  readonly schedules?: readonly Schedule<Services>[];
  /** Maximum number of short jobs that run at once in this process; default 4. */
  readonly concurrency?: number;
  /** Maximum number of long-running jobs at once; default 5. */
  readonly longConcurrency?: number;
  /** Maximum number of jobs that wait for external servers at once; default 10. */
  readonly externalConcurrency?: number;
  /** No other process uses this database: jobs of a crashed process are due at once. */
  readonly isOnlyProcess?: boolean;
  /** Removes secrets from an error text before it is stored. */
  readonly redact?: (text: string) => string;
  readonly log?: QueueLog;
}

interface QueueLog {
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

/** Milliseconds. A lease is extended three times before it would expire. */
const LEASE_MS = 60_000;
const HEARTBEAT_MS = 20_000;
const POLL_INTERVAL_MS = 1_000;
const DRAIN_MS = 10_000;

const DEFAULT_MAX_ATTEMPTS = 10;

/** Number of processes that a job may end before it becomes dead. */
const MAX_PROCESS_DEATHS = 2;

/** Milliseconds that a suspect runs before the next one may start: a job that ends its process does so soon. */
const SUSPECT_MS = 30_000;

const MAX_ERROR_LENGTH = 2_000;

/** Returns the delay before a failed job is retried, in milliseconds: 10 s, 20 s, 40 s ... at most an hour. */
export function retryDelay(attempt: number): number {
  return Math.min(3_600_000, 5_000 * 2 ** attempt);
}

export function createJobQueue<Services>(options: JobQueueOptions<Services>): JobQueue {
  const { database, clock, services, schedules = [], redact = (text) => text, log } = options;
  const jobs = mapJobsByKind(options.jobs);
  const lanes = [
    { kinds: listKindsOfLane(jobs, 'short'), places: options.concurrency ?? 4 },
    { kinds: listKindsOfLane(jobs, 'long'), places: options.longConcurrency ?? 5 },
    { kinds: listKindsOfLane(jobs, 'far'), places: options.externalConcurrency ?? 10 },
  ].filter(({ kinds }) => kinds.length > 0);
  const owner = randomUUID();
  const runningJobs = new Map<number, RunningJob>();
  const listeners = new Set<(batch: JobBatch) => void>();
  const abortController = new AbortController();
  let working = false;
  let jobCount = 0;
  let currentCheck: Promise<void> | undefined;
  let checkAgain = false;
  let leaseCheckDue = true;
  let nextScheduled: string | undefined;
  let timers: NodeJS.Timeout[] = [];
  let endWakeUps = () => {};

  const timestampAfter = (milliseconds: number) => addMilliseconds(timestamp(clock), milliseconds);

  const allDone = () => Promise.all([...runningJobs.values()].map(({ done }) => done));

  const storeResult = async (work: (tx: Transaction) => Promise<void>) => {
    // Read committed: these touch rows that this owner has leased, nobody else's.
    for (let attempt = 0; ; attempt++) {
      try {
        return await database.transaction(work, { isolation: 'read committed', exemptFromLimit: true });
      } catch (error) {
        // A job of the same kind and key was enqueued between our check and our release.
        if (getViolatedUniqueIndex(error) === null || attempt === 3) throw error;
      }
    }
  };

  const runOne = async (claimed: LeasedJob): Promise<void> => {
    const job = jobs.get(claimed.kind)!;
    const maxAttempts = job.maxAttempts ?? DEFAULT_MAX_ATTEMPTS;
    try {
      if (claimed.process_deaths >= MAX_PROCESS_DEATHS) throw new ProcessDied();
      const run = { id: claimed.id, attempt: claimed.attempts, signal: abortController.signal };
      await job.handle(services, JSON.parse(claimed.payload) as never, run);
    } catch (error) {
      const text = redact(describeError(error)).slice(0, MAX_ERROR_LENGTH);
      const dead = claimed.attempts >= maxAttempts || error instanceof ProcessDied;
      log?.warn({ kind: claimed.kind, job: claimed.id, attempt: claimed.attempts, error: text, dead }, 'A job failed');
      await storeResult((tx) =>
        dead
          ? markDead(tx, claimed, text)
          : releaseJob(tx, owner, claimed.id, { runAt: timestampAfter(retryDelay(claimed.attempts)), error: text }),
      );
      return;
    }
    await storeResult((tx) => deleteJob(tx, owner, claimed.id));
  };

  const markDead = async (tx: Transaction, { id, kind, payload }: LeasedJob, error: string): Promise<void> => {
    if (await markJobDead(tx, owner, id, error)) await jobs.get(kind)!.onDead?.(tx, JSON.parse(payload) as never);
  };

  const begin = (job: LeasedJob): void => {
    const jobPromise = runOne(job)
      .catch((error) =>
        log?.error({ err: error, kind: job.kind, job: job.id }, 'The result of a job could not be stored'),
      )
      .then(() => {
        runningJobs.delete(job.id);
        jobCount++;
        if (working) checkForJobs();
      });
    runningJobs.set(job.id, { job, startedAt: timestamp(clock), done: jobPromise });
  };

  const freeLanes = () =>
    lanes.map(({ kinds, places }) => ({ kinds, limit: places - runningOf(kinds) })).filter(({ limit }) => limit > 0);

  const claimAndBegin = async (claim: Omit<Parameters<typeof claimJobs>[1], 'owner' | 'leaseUntil'>) => {
    const claimedJobs = await database.transaction(
      (tx) => claimJobs(tx, { ...claim, owner, leaseUntil: timestampAfter(LEASE_MS) }),
      { isolation: 'read committed' },
    );
    for (const job of claimedJobs) begin(job);
    return claimedJobs.length;
  };

  /** Claims and starts as many due jobs as there are free slots. Returns their number. */
  const claim = async (): Promise<number> => {
    const lanes = freeLanes();
    if (lanes.length === 0) return 0;
    if ((await findDueJob.first(database.reader, { now: timestamp(clock) })) === undefined) return 0;
    let begunCount = await claimSuspect(lanes.flatMap(({ kinds }) => kinds));
    for (const { kinds, limit } of freeLanes()) begunCount += await claimAndBegin({ kinds, limit });
    return begunCount;
  };

  /**
   * Claims a job during which a process has died, one at a time: if the process dies again, this one was the cause, and the others
   * that ran with it the first time are not given up for it.
   */
  const claimSuspect = async (kinds: readonly string[]): Promise<number> => {
    const now = timestamp(clock);
    const isSuspectRunning = [...runningJobs.values()].some(
      ({ job, startedAt }) => job.process_deaths > 0 && addMilliseconds(startedAt, SUSPECT_MS) > now,
    );
    if (isSuspectRunning || (await findDueSuspect.first(database.reader, { now })) === undefined) return 0;
    return claimAndBegin({ kinds, onlySuspects: true, limit: 1 });
  };

  /** Once a second is enough: a lease takes a minute to expire. */
  const releaseExpiredLeases = async (): Promise<void> => {
    if (!leaseCheckDue) return;
    leaseCheckDue = false;
    const now = timestamp(clock);
    if ((await findExpiredLease.first(database.reader, { now, owner })) !== undefined)
      await storeResult((tx) => releaseAbandonedLeases(tx, { by: now, exceptOwner: owner }));
  };

  const runningOf = (kinds: readonly string[]): number =>
    [...runningJobs.values()].filter(({ job }) => kinds.includes(job.kind)).length;

  const addScheduled = async (): Promise<void> => {
    if (nextScheduled === undefined || nextScheduled > timestamp(clock)) return;
    await enqueueDueSchedules(database, schedules);
    await readSchedules();
  };

  const readSchedules = async (): Promise<void> => {
    const scheduleNames = new Set(schedules.map(({ name }) => name));
    const storedSchedules = (await listStoredSchedules(database.reader)).filter(({ name }) => scheduleNames.has(name));
    nextScheduled = storedSchedules.map((row) => row.next_run_at).sort()[0];
  };

  const prepareSchedules = async (): Promise<void> => {
    if (schedules.length === 0) return;
    await storeSchedules(database, schedules);
    await readSchedules();
  };

  const notifyListeners = (): void => {
    const batch = { jobCount };
    jobCount = 0;
    for (const listener of listeners) listener(batch);
  };

  const checkOnce = async (): Promise<void> => {
    await addScheduled();
    await releaseExpiredLeases();
    const begunCount = await claim();
    if (begunCount === 0 && runningJobs.size === 0) notifyListeners();
  };

  /** Checks for due jobs, one check at a time; a call during a check makes another one follow. */
  const checkForJobs = (): void => {
    if (currentCheck) {
      checkAgain = true;
      return;
    }
    checkAgain = false;
    currentCheck = checkOnce()
      .catch((error) => {
        if (error instanceof DatabaseUnavailable)
          log?.warn({ err: error }, 'The job queue waits for the database, which is unavailable');
        else log?.error({ err: error }, 'The job queue could not check for due jobs');
      })
      .then(() => {
        currentCheck = undefined;
        if (working && checkAgain) checkForJobs();
      });
  };

  const poll = (): void => {
    leaseCheckDue = true;
    checkForJobs();
  };

  const keepLeases = (): void => {
    const ids = [...runningJobs.keys()];
    if (ids.length === 0) return;
    storeResult((tx) => extendLeases(tx, owner, ids, timestampAfter(LEASE_MS))).catch((error) =>
      log?.error({ err: error }, 'The leases of running jobs could not be extended'),
    );
  };

  return {
    async start() {
      if (options.isOnlyProcess) await storeResult((tx) => releaseAbandonedLeases(tx));
      await prepareSchedules();
      working = true;
      timers = [setInterval(poll, POLL_INTERVAL_MS), setInterval(keepLeases, HEARTBEAT_MS)];
      endWakeUps = onJobEnqueued(checkForJobs);
      checkForJobs();
    },
    async stop(drainMs = DRAIN_MS) {
      working = false;
      for (const timer of timers) clearInterval(timer);
      endWakeUps();
      await currentCheck;
      await waitAtMost(drainMs, allDone());
      abortController.abort();
      for (const { job } of runningJobs.values()) {
        // The attempt does not count, because the job did not fail.
        const attempts = job.attempts - 1;
        await storeResult((tx) => releaseJob(tx, owner, job.id, { runAt: tx.now, attempts }));
      }
    },
    async runDue() {
      await prepareSchedules();
      leaseCheckDue = true;
      for (let total = 0; ; ) {
        await addScheduled();
        await releaseExpiredLeases();
        const begunCount = await claim();
        total += begunCount;
        await allDone();
        if (begunCount === 0) {
          notifyListeners();
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

interface RunningJob {
  readonly job: LeasedJob;
  readonly startedAt: string;
  readonly done: Promise<void>;
}

/** The reason why a job is not run again. */
class ProcessDied extends Error {
  override readonly name = 'ProcessDied';

  constructor() {
    super(`The server process died ${MAX_PROCESS_DEATHS} times while this job was running`);
  }
}

function mapJobsByKind<Services>(
  jobs: readonly JobDefinition<Services, never>[],
): Map<string, JobDefinition<Services, never>> {
  const map = new Map(jobs.map((job) => [job.kind, job]));
  if (map.size < jobs.length) {
    const duplicate = jobs.find((job) => map.get(job.kind) !== job)!;
    throw new Error(`Two job definitions have the kind ${duplicate.kind}: rename one`);
  }
  return map;
}

type Lane = 'short' | 'long' | 'far';

function listKindsOfLane<Services>(jobs: ReadonlyMap<string, JobDefinition<Services, never>>, lane: Lane): string[] {
  const laneOf = ({ isLongRunning, isExternal }: JobDefinition<Services, never>): Lane =>
    isExternal ? 'far' : isLongRunning ? 'long' : 'short';
  return [...jobs.values()].filter((job) => laneOf(job) === lane).map(({ kind }) => kind);
}

function describeError(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

async function waitAtMost(milliseconds: number, work: Promise<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  await Promise.race([work, promise]);
  clearTimeout(timer);
}
