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

  /** Runs one at a time: concurrent runs would move the same cursor. */
  const runAfterOthers = (work: () => Promise<void>): Promise<void> => {
    const ownRun = queuedRun.then(work);
    queuedRun = ownRun.catch(() => {});
    return ownRun;
  };
  const verifyServices = {
    ...options,
    checksumRetrySeconds: interval,
    followEvents: () => runAfterOthers(() => followEvents({ database, clock, primary, log })),
  };
  const syncing: Worker = {
    run: (copy) => sync(options, copy),
    onFailure: (copy, error) => database.transaction((tx) => recordFailure(tx, copy, error, errorText(error))),
  };
  const work = createWorkerPool({
    database,
    clock,
    log,
    workers: {
      repository: syncing,
      blob: syncing,
      verification: {
        run: (copy) => verify(verifyServices, copy),
        onFailure: async (copy, error) => void (await postpone(options, copy, errorText(error))),
      },
    },
    capacities: () => (polled?.site.enabled ? getCapacities(polled.site) : null),
  });

  const status = () => buildStatusReport({ database, git, primary, siteId, now: clock.now() });

  const pollOnce = async (): Promise<void> => {
    const before = polled;
    polled = await pollSite(primary, before, log);
    if (polled === null || !polled.site.enabled) return;
    const { site } = polled;
    await runAfterOthers(() => followPrimary({ database, clock, primary, log }, site));
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

/** Returns null if the primary no longer knows this site. Keeps the last state while the primary is unavailable. */
async function pollSite(primary: Primary, before: OwnSiteResponse | null, log: Log): Promise<OwnSiteResponse | null> {
  try {
    const polled = await primary.getSite();
    if (before?.site.enabled !== polled.site.enabled)
      log.info({ enabled: polled.site.enabled }, 'The primary knows this site');
    return polled;
  } catch (error) {
    if (!(error instanceof PrimaryFailure) || error.kind !== 'rejected') throw error;
    if (before !== null)
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

/** Failures of the primary are warnings, not errors of this process. */
function logFailure(log: Log, error: unknown, text: string): void {
  if (error instanceof PrimaryFailure) log.warn({ reason: error.message }, text);
  else log.error({ err: error }, text);
}

const MAX_ERROR_LENGTH = 500;

function errorText(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, MAX_ERROR_LENGTH);
}
