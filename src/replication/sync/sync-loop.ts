import { addMilliseconds, type Clock, DAY_MS, timestamp } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';
import { PrimaryFailure } from '../primary/client.ts';
import type { Primary } from '../primary/primary.ts';
import type { OwnSiteRecord, OwnSiteResponse } from '../primary/schemas.ts';
import type { Counters } from './counters.ts';
import { followEvents, followPrimary } from './follow-events.ts';
import { resumeInterrupted, scheduleReverification } from './registry.ts';
import { buildStatusReport, type StatusReport } from './status.ts';
import { recordFailure, type SyncServices, sync } from './sync.ts';
import { postpone, verify } from './verify.ts';
import { createWorkerPool, type Worker } from './workers.ts';

/** Background work of a secondary: polls, follows events, copies, verifies, reports. */
export interface SyncLoop {
  /** This site as of the last poll; null: not polled yet, or unknown to the primary. */
  site(): OwnSiteResponse | null;
  /** Polls the primary and starts the work that follows. Never rejects. */
  poll(): Promise<void>;
  /** Reports the status to the primary, unless the site is disabled. Never rejects. */
  report(): Promise<void>;
  /** Returns the current status. */
  status(): Promise<StatusReport>;
  /** Starts due work. */
  startDue(): void;
  /** Resolves when no due work is left. */
  idle(): Promise<void>;
  stop(): Promise<void>;
}

interface SyncLoopOptions extends SyncServices {
  readonly clock: Clock;
  readonly log: Log;
  readonly counters: Counters;
  readonly siteId: number;
  /** Poll interval in seconds. */
  readonly interval: number;
}

/** Rows scheduled for another verification per poll. */
const REVERIFY_BATCH_SIZE = 1_000;

export async function createSyncLoop(options: SyncLoopOptions): Promise<SyncLoop> {
  const { database, primary, clock, log, counters, siteId, git, interval } = options;
  await database.transaction((tx) => resumeInterrupted(tx));
  let polled: OwnSiteResponse | null = null;
  let queuedRun: Promise<void> = Promise.resolve();

  /** Runs `work` after the previous run has ended: concurrent runs would move the same cursor. */
  const runInQueue = (work: () => Promise<void>): Promise<void> => {
    const run = queuedRun.then(work);
    queuedRun = run.catch(() => {});
    return run;
  };
  const verifyServices = {
    ...options,
    checksumRetrySeconds: interval,
    followEvents: () => runInQueue(() => followEvents({ database, clock, primary, log })),
  };
  const copyWorker: Worker = {
    run: (copy) => sync(options, copy),
    onFailure: (copy, error) => database.transaction((tx) => recordFailure(tx, copy, error, toErrorText(error))),
  };
  const work = createWorkerPool({
    database,
    clock,
    log,
    workers: {
      repository: copyWorker,
      blob: copyWorker,
      verification: {
        run: (copy) => verify(verifyServices, copy),
        onFailure: async (copy, error) => void (await postpone(options, copy, toErrorText(error))),
      },
    },
    capacities: () => (polled?.site.enabled ? getCapacities(polled.site) : null),
  });

  const status = () => buildStatusReport({ database, git, primary, siteId, now: clock.now() });

  const pollOnce = async (): Promise<void> => {
    const previous = polled;
    polled = await pollSite(primary, previous, log);
    if (polled === null || !polled.site.enabled) return;
    const { site } = polled;
    await runInQueue(() => followPrimary({ database, clock, primary, log }, site));
    const verifiedUntil = addMilliseconds(timestamp(clock), -site.minimum_reverification_interval * DAY_MS);
    await database.transaction((tx) => scheduleReverification(tx, verifiedUntil, REVERIFY_BATCH_SIZE));
    work.startDue();
  };

  return {
    site: () => polled,
    status,
    startDue: () => work.startDue(),
    idle: () => work.idle(),
    async poll() {
      await pollOnce().catch((error) => logFailure(log, error, 'Polling the primary failed'));
      await counters.flush(database).catch((error) => log.warn({ err: error }, 'Storing counters failed'));
      const processedCounts = work.takeCounts();
      if (Object.values(processedCounts).some((count) => count > 0)) log.info(processedCounts, 'Processed copies');
    },
    async report() {
      if (!polled?.site.enabled) return;
      try {
        await primary.report(await status());
      } catch (error) {
        logFailure(log, error, 'Reporting the status to the primary failed');
      }
    },
    async stop() {
      await work.stop();
      await queuedRun;
      await counters.flush(database).catch(() => {});
    },
  };
}

/** Returns the site, or null if the primary no longer knows it. Throws if the primary is unavailable. */
async function pollSite(primary: Primary, previous: OwnSiteResponse | null, log: Log): Promise<OwnSiteResponse | null> {
  try {
    const polled = await primary.getSite();
    if (previous?.site.enabled !== polled.site.enabled)
      log.info({ enabled: polled.site.enabled }, 'The primary knows this site');
    return polled;
  } catch (error) {
    if (!(error instanceof PrimaryFailure) || error.kind !== 'rejected') throw error;
    if (previous !== null)
      log.warn({ reason: error.message }, 'The primary no longer knows this site: its copies remain unchanged');
    return null;
  }
}

function getCapacities(site: OwnSiteRecord) {
  return {
    repository: site.repos_max_capacity,
    blob: site.files_max_capacity,
    verification: site.verification_max_capacity,
  };
}

/** Logs failures of the primary as warnings, other errors as errors. */
function logFailure(log: Log, error: unknown, text: string): void {
  if (error instanceof PrimaryFailure) log.warn({ reason: error.message }, text);
  else log.error({ err: error }, text);
}

const MAX_ERROR_LENGTH = 500;

function toErrorText(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, MAX_ERROR_LENGTH);
}
