import { randomUUID } from 'node:crypto';
import { getViolatedUniqueIndex } from '#database/constraint-violations.ts';
import { type Database, DatabaseUnavailable, type Transaction } from '#database/database.ts';
import { addMilliseconds, type Clock, timestamp } from '#runtime/clock.ts';
import type { CompletedJob } from '#runtime/metrics.ts';
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
  /**
   * Stops claiming jobs, waits for running ones (at most `drainMs` milliseconds), and releases the rest, which run again later.
   * Returns the kinds of the released jobs.
   */
  stop(drainMs?: number): Promise<string[]>;
  /** For tests: runs due schedules and jobs until nothing is due. Returns the number of runs. */
  runDue(): Promise<number>;
  /** Calls `listener` whenever no job is running or due. Returns a function that removes the listener. */
  afterBatch(listener: (batch: JobBatch) => void): () => void;
}

/** The jobs that ran between two idle periods of the queue. */
interface JobBatch {
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
  /** Maximum number of short jobs that run concurrently in this process; default 4. */
  readonly concurrency?: number;
  /** Maximum number of concurrent long-running jobs; default 5. */
  readonly longConcurrency?: number;
  /** Maximum number of concurrent jobs that wait for external servers; default 10. */
  readonly externalConcurrency?: number;
  /** No other process uses this database: jobs of a crashed process are due immediately. */
  readonly isOnlyProcess?: boolean;
  /** Removes secrets from an error text before it is stored. */
  readonly redact?: (text: string) => string;
  /** Called after each run, for metrics. */
  readonly onJobCompleted?: (job: CompletedJob) => void;
  readonly log?: QueueLog;
}

interface QueueLog {
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

/** Milliseconds until a lease expires. Each heartbeat extends it, several times before it would expire. */
const LEASE_MS = 60_000;
const HEARTBEAT_MS = 20_000;
const POLL_INTERVAL_MS = 1_000;
const DRAIN_MS = 10_000;

const DEFAULT_MAX_ATTEMPTS = 10;

/** Number of process deaths during its runs after which a job becomes dead. */
const MAX_PROCESS_DEATHS = 2;

/** Milliseconds that a suspect runs before the next suspect may start. A job that crashes its process usually does so early. */
const SUSPECT_MS = 30_000;

/** Maximum number of retries of a write after a unique violation. */
const MAX_WRITE_RETRIES = 3;

const MAX_ERROR_LENGTH = 2_000;

/** Returns the delay before a failed job is retried, in milliseconds: 10 s, 20 s, 40 s ... at most an hour. */
export function getJobRetryDelayMs(attempt: number): number {
  return Math.min(3_600_000, 5_000 * 2 ** attempt);
}

/** Creates the queue of this process; it runs nothing before `start` or `runDue`. */
export function createJobQueue<Services>(options: JobQueueOptions<Services>): JobQueue {
  const { database, clock, services, schedules = [], redact = (text) => text, log } = options;
  const jobs = mapJobsByKind(options.jobs);
  const slotPools = [
    { kinds: listJobKinds(jobs, 'default'), slots: options.concurrency ?? 4 },
    { kinds: listJobKinds(jobs, 'long-running'), slots: options.longConcurrency ?? 5 },
    { kinds: listJobKinds(jobs, 'external'), slots: options.externalConcurrency ?? 10 },
  ].filter(({ kinds }) => kinds.length > 0);
  // Identifies the leases of this process.
  const owner = randomUUID();
  const runningJobs = new Map<number, RunningJob>();
  const listeners = new Set<(batch: JobBatch) => void>();
  const abortController = new AbortController();
  let isStarted = false;
  let jobCount = 0;
  let currentCheck: Promise<void> | undefined;
  let isCheckPending = false;
  let isLeaseCheckDue = true;
  let nextScheduledAt: string | undefined;
  let timers: NodeJS.Timeout[] = [];
  let removeEnqueueListener = () => {};

  const timestampAfter = (milliseconds: number) => addMilliseconds(timestamp(clock), milliseconds);

  const waitForRunningJobs = () => Promise.all([...runningJobs.values()].map(({ done }) => done));

  const writeJobRows = async (work: (tx: Transaction) => Promise<void>) => {
    // Read committed is enough: this owner holds the leases of these rows.
    for (let attempt = 0; ; attempt++) {
      try {
        return await database.transaction(work, { isolation: 'read committed', exemptFromLimit: true });
      } catch (error) {
        // A job of the same kind and key was enqueued between our check and our release.
        if (getViolatedUniqueIndex(error) === null || attempt === MAX_WRITE_RETRIES) throw error;
      }
    }
  };

  const runJob = async (claimedJob: LeasedJob): Promise<void> => {
    const job = jobs.get(claimedJob.kind)!;
    const maxAttempts = job.maxAttempts ?? DEFAULT_MAX_ATTEMPTS;
    const startedAt = performance.now();
    const recordEnd = (outcome: CompletedJob['outcome']) =>
      options.onJobCompleted?.({ kind: job.kind, outcome, seconds: (performance.now() - startedAt) / 1000 });
    try {
      if (claimedJob.process_deaths >= MAX_PROCESS_DEATHS) throw new ProcessDied();
      const run = { id: claimedJob.id, attempt: claimedJob.attempts, signal: abortController.signal };
      // Only `enqueue` writes payloads, of the type that the job of this kind declares.
      await job.handle(services, JSON.parse(claimedJob.payload) as never, run);
    } catch (error) {
      const text = redact(describeError(error)).slice(0, MAX_ERROR_LENGTH);
      const isDead = claimedJob.attempts >= maxAttempts || error instanceof ProcessDied;
      log?.warn(
        { kind: claimedJob.kind, job: claimedJob.id, attempt: claimedJob.attempts, error: text, dead: isDead },
        'A job failed',
      );
      recordEnd(isDead ? 'dead' : 'retried');
      await writeJobRows((tx) =>
        isDead
          ? markDead(tx, claimedJob, text)
          : releaseJob(tx, owner, claimedJob.id, {
              runAt: timestampAfter(getJobRetryDelayMs(claimedJob.attempts)),
              error: text,
            }),
      );
      return;
    }
    recordEnd('done');
    await writeJobRows((tx) => deleteJob(tx, owner, claimedJob.id));
  };

  const markDead = async (tx: Transaction, { id, kind, payload }: LeasedJob, error: string): Promise<void> => {
    if (await markJobDead(tx, owner, id, error)) await jobs.get(kind)!.onDead?.(tx, JSON.parse(payload) as never);
  };

  const startJob = (job: LeasedJob): void => {
    const jobPromise = runJob(job)
      .catch((error) =>
        log?.error({ err: error, kind: job.kind, job: job.id }, 'The result of a job could not be stored'),
      )
      .then(() => {
        runningJobs.delete(job.id);
        jobCount++;
        if (isStarted) checkForJobs();
      });
    runningJobs.set(job.id, { job, startedAt: timestamp(clock), done: jobPromise });
  };

  const listFreePools = () =>
    slotPools
      .map(({ kinds, slots }) => ({ kinds, limit: slots - countRunning(kinds) }))
      .filter(({ limit }) => limit > 0);

  const claimAndStart = async (claim: Omit<Parameters<typeof claimJobs>[1], 'owner' | 'leaseUntil'>) => {
    const claimedJobs = await database.transaction(
      (tx) => claimJobs(tx, { ...claim, owner, leaseUntil: timestampAfter(LEASE_MS) }),
      { isolation: 'read committed' },
    );
    for (const job of claimedJobs) startJob(job);
    return claimedJobs.length;
  };

  /** Claims and starts as many due jobs as there are free slots. Returns their number. */
  const claimDueJobs = async (): Promise<number> => {
    const freePools = listFreePools();
    if (freePools.length === 0) return 0;
    if ((await findDueJob.first(database.reader, { now: timestamp(clock) })) === undefined) return 0;
    let startedCount = await claimSuspect(freePools.flatMap(({ kinds }) => kinds));
    for (const { kinds, limit } of listFreePools()) startedCount += await claimAndStart({ kinds, limit });
    return startedCount;
  };

  /**
   * Claims one suspect: a job during which a process has died. Suspects start one at a time, so that a second death identifies
   * its cause, and the other jobs of the first death do not become dead. Returns the number of started jobs.
   */
  const claimSuspect = async (kinds: readonly string[]): Promise<number> => {
    const now = timestamp(clock);
    const isSuspectRunning = [...runningJobs.values()].some(
      ({ job, startedAt }) => job.process_deaths > 0 && addMilliseconds(startedAt, SUSPECT_MS) > now,
    );
    if (isSuspectRunning || (await findDueSuspect.first(database.reader, { now })) === undefined) return 0;
    return claimAndStart({ kinds, onlySuspects: true, limit: 1 });
  };

  /** Releases expired leases, at most once per second: a lease takes a minute to expire. */
  const releaseExpiredLeases = async (): Promise<void> => {
    if (!isLeaseCheckDue) return;
    isLeaseCheckDue = false;
    const now = timestamp(clock);
    if ((await findExpiredLease.first(database.reader, { now, owner })) !== undefined)
      await writeJobRows((tx) => releaseAbandonedLeases(tx, { now, exceptOwner: owner }));
  };

  const countRunning = (kinds: readonly string[]): number =>
    [...runningJobs.values()].filter(({ job }) => kinds.includes(job.kind)).length;

  const enqueueScheduledJobs = async (): Promise<void> => {
    if (nextScheduledAt === undefined || nextScheduledAt > timestamp(clock)) return;
    await enqueueDueSchedules(database, schedules);
    await loadNextScheduledTime();
  };

  const loadNextScheduledTime = async (): Promise<void> => {
    const scheduleNames = new Set(schedules.map(({ name }) => name));
    const storedSchedules = (await listStoredSchedules(database.reader)).filter(({ name }) => scheduleNames.has(name));
    nextScheduledAt = storedSchedules.map((row) => row.next_run_at).sort()[0];
  };

  const prepareSchedules = async (): Promise<void> => {
    if (schedules.length === 0) return;
    await storeSchedules(database, schedules);
    await loadNextScheduledTime();
  };

  const notifyListeners = (): void => {
    const batch = { jobCount };
    jobCount = 0;
    for (const listener of listeners) listener(batch);
  };

  const checkOnce = async (): Promise<void> => {
    await enqueueScheduledJobs();
    await releaseExpiredLeases();
    const startedCount = await claimDueJobs();
    if (startedCount === 0 && runningJobs.size === 0) notifyListeners();
  };

  /** Checks for due jobs, one check at a time; a call during a check makes another one follow. */
  const checkForJobs = (): void => {
    if (currentCheck) {
      isCheckPending = true;
      return;
    }
    isCheckPending = false;
    currentCheck = checkOnce()
      .catch((error) => {
        if (error instanceof DatabaseUnavailable)
          log?.warn({ err: error }, 'The job queue waits for the database, which is unavailable');
        else log?.error({ err: error }, 'The job queue could not check for due jobs');
      })
      .then(() => {
        currentCheck = undefined;
        if (isStarted && isCheckPending) checkForJobs();
      });
  };

  const poll = (): void => {
    isLeaseCheckDue = true;
    checkForJobs();
  };

  const extendRunningLeases = (): void => {
    const ids = [...runningJobs.keys()];
    if (ids.length === 0) return;
    writeJobRows((tx) => extendLeases(tx, owner, ids, timestampAfter(LEASE_MS))).catch((error) =>
      log?.error({ err: error }, 'The leases of running jobs could not be extended'),
    );
  };

  return {
    async start() {
      if (options.isOnlyProcess) await writeJobRows((tx) => releaseAbandonedLeases(tx));
      await prepareSchedules();
      isStarted = true;
      timers = [setInterval(poll, POLL_INTERVAL_MS), setInterval(extendRunningLeases, HEARTBEAT_MS)];
      removeEnqueueListener = onJobEnqueued(checkForJobs);
      checkForJobs();
    },
    async stop(drainMs = DRAIN_MS) {
      isStarted = false;
      for (const timer of timers) clearInterval(timer);
      removeEnqueueListener();
      await currentCheck;
      await waitAtMost(drainMs, waitForRunningJobs());
      abortController.abort();
      const interruptedJobs = [...runningJobs.values()];
      for (const { job } of interruptedJobs) {
        // The attempt does not count, because the job did not fail.
        const attempts = job.attempts - 1;
        await writeJobRows((tx) => releaseJob(tx, owner, job.id, { runAt: tx.now, attempts }));
      }
      return interruptedJobs.map(({ job }) => job.kind);
    },
    async runDue() {
      await prepareSchedules();
      isLeaseCheckDue = true;
      for (let total = 0; ; ) {
        await enqueueScheduledJobs();
        await releaseExpiredLeases();
        const startedCount = await claimDueJobs();
        total += startedCount;
        await waitForRunningJobs();
        if (startedCount === 0) {
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

/** The error of a job that becomes dead because processes died while they ran it. */
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

/** A group of job kinds with its own slots. */
type QueueKind = 'default' | 'long-running' | 'external';

function listJobKinds<Services>(
  jobs: ReadonlyMap<string, JobDefinition<Services, never>>,
  queueKind: QueueKind,
): string[] {
  const getQueueKind = ({ isLongRunning, isExternal }: JobDefinition<Services, never>): QueueKind =>
    isExternal ? 'external' : isLongRunning ? 'long-running' : 'default';
  return [...jobs.values()].filter((job) => getQueueKind(job) === queueKind).map(({ kind }) => kind);
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
