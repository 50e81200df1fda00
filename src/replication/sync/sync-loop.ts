import { GitError } from '#git/process/failures.ts';
import { fsck } from '#git/storage/maintenance.ts';
import { computeRepositoryChecksum } from '#git/transfer/checksum.ts';
import { addMilliseconds, type Clock, DAY_MS, timestamp } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';
import { PrimaryFailure } from '../primary/client.ts';
import type { Primary } from '../primary/primary.ts';
import { isRepository, type OwnSiteRecord, type OwnSiteResponse } from '../primary/schemas.ts';
import { computeBlobChecksum, getCopy } from './copies.ts';
import type { Counters } from './counters.ts';
import { followEvents, followPrimary } from './follow-events.ts';
import {
  buildAwaitingChecksumColumns,
  buildMismatchedColumns,
  buildPostponedColumns,
  buildVerifiedColumns,
  type RegistryRow,
  resumeInterrupted,
  scheduleRemoval,
  scheduleReverification,
  updateUnlessChanged,
} from './registry.ts';
import { buildStatusReport, type StatusReport } from './status.ts';
import { recordFailure, type SyncServices, syncCopy } from './sync.ts';
import { createWorkerPool, type Worker } from './workers.ts';

/** Background work of a secondary: polls, follows events, copies, verifies, reports. */
export interface SyncLoop {
  /** This site as of the last poll; null: not polled yet, or unknown to the primary. */
  getPolledSite(): OwnSiteResponse | null;
  /** Polls the primary and starts the work that follows. Never rejects. */
  poll(): Promise<void>;
  /** Reports the status to the primary, unless the site is disabled. Never rejects. */
  report(): Promise<void>;
  /** Returns the current status. */
  buildStatus(): Promise<StatusReport>;
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
  readonly pollIntervalSeconds: number;
}

/** Maximum number of copies that one poll schedules for another verification. */
const REVERIFY_BATCH_SIZE = 1_000;

export async function createSyncLoop(options: SyncLoopOptions): Promise<SyncLoop> {
  const { database, primary, clock, log, counters, siteId, git, pollIntervalSeconds } = options;
  await database.transaction((tx) => resumeInterrupted(tx));
  let polledSite: OwnSiteResponse | null = null;
  let queuedRun: Promise<void> = Promise.resolve();

  /** Runs `work` after the previous run has ended: concurrent runs would move the same cursor. */
  const runInQueue = (work: () => Promise<void>): Promise<void> => {
    const run = queuedRun.then(work);
    queuedRun = run.catch(() => {});
    return run;
  };
  const verifyServices = {
    ...options,
    checksumRetrySeconds: pollIntervalSeconds,
    followEvents: () => runInQueue(() => followEvents({ database, clock, primary, log })),
  };
  const copyWorker: Worker = {
    run: (copy) => syncCopy(options, copy),
    onFailure: (copy, error) => database.transaction((tx) => recordFailure(tx, copy, error, toErrorText(error))),
  };
  const workerPool = createWorkerPool({
    database,
    clock,
    log,
    workers: {
      repository: copyWorker,
      blob: copyWorker,
      verification: {
        run: (copy) => verifyCopy(verifyServices, copy),
        onFailure: async (copy, error) => void (await postponeVerification(options, copy, toErrorText(error))),
      },
    },
    getLimits: () => (polledSite?.site.enabled ? getCapacities(polledSite.site) : null),
  });

  const status = () => buildStatusReport({ database, git, primary, siteId, now: clock.now() });

  const pollOnce = async (): Promise<void> => {
    polledSite = await pollSite(primary, polledSite, log);
    if (polledSite === null || !polledSite.site.enabled) return;
    const { site } = polledSite;
    await runInQueue(() => followPrimary({ database, clock, primary, log }, site));
    const verifiedUntil = addMilliseconds(timestamp(clock), -site.minimum_reverification_interval * DAY_MS);
    await database.transaction((tx) => scheduleReverification(tx, verifiedUntil, REVERIFY_BATCH_SIZE));
    workerPool.startDue();
  };

  return {
    getPolledSite: () => polledSite,
    buildStatus: status,
    startDue: () => workerPool.startDue(),
    idle: () => workerPool.idle(),
    async poll() {
      await pollOnce().catch((error) => logFailure(log, error, 'Polling the primary failed'));
      await counters.flush(database).catch((error) => log.warn({ err: error }, 'Storing counters failed'));
      const processedCounts = workerPool.takeCounts();
      if (Object.values(processedCounts).some((count) => count > 0)) log.info(processedCounts, 'Processed copies');
    },
    async report() {
      if (!polledSite?.site.enabled) return;
      try {
        await primary.report(await status());
      } catch (error) {
        logFailure(log, error, 'Reporting the status to the primary failed');
      }
    },
    async stop() {
      await workerPool.stop();
      await queuedRun;
      await counters.flush(database).catch(() => {});
    },
  };
}

/** Returns the site, or null if the primary no longer knows it. Throws if the primary is unavailable. */
async function pollSite(
  primary: Primary,
  previousSite: OwnSiteResponse | null,
  log: Log,
): Promise<OwnSiteResponse | null> {
  try {
    const polled = await primary.getSite();
    if (previousSite?.site.enabled !== polled.site.enabled)
      log.info({ enabled: polled.site.enabled }, 'The site is enabled or disabled at the primary');
    return polled;
  } catch (error) {
    if (!(error instanceof PrimaryFailure) || error.kind !== 'rejected') throw error;
    if (previousSite !== null)
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

/** Maximum length of a stored error text, in characters. */
const MAX_ERROR_LENGTH = 500;

function toErrorText(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, MAX_ERROR_LENGTH);
}

interface VerifyServices extends SyncServices {
  /** Processes all events up to now. */
  readonly followEvents: () => Promise<void>;
  /** Seconds until the next attempt if the primary has no checksum yet. */
  readonly checksumRetrySeconds: number;
}

/**
 * Compares the copy's checksum with the primary's and stores the result. A copy verified before is read completely,
 * which detects bit rot. Throws if the verification must be retried (`postponeVerification`).
 */
async function verifyCopy(services: VerifyServices, copy: RegistryRow): Promise<void> {
  const { database, primary, followEvents, checksumRetrySeconds } = services;
  const ownChecksum = await computeOwnChecksum(services, copy);
  const replicable = await primary.findReplicable(copy.replicable_name, copy.replicable_id);
  if (replicable === null) return database.transaction((tx) => scheduleRemoval(tx, copy));
  const { checksum } = replicable;
  if (checksum === null)
    return void (await database.transaction((tx) =>
      updateUnlessChanged(tx, copy, buildAwaitingChecksumColumns(tx, checksumRetrySeconds)),
    ));
  if (ownChecksum === checksum) {
    await database.transaction((tx) => updateUnlessChanged(tx, copy, { ...buildVerifiedColumns(tx), checksum }));
    return;
  }
  // A change on the primary since then is no fault of the copy: the event schedules an update.
  await followEvents();
  const text =
    ownChecksum === null ? 'The copy is broken' : 'The checksum of the copy differs from that of the primary';
  await database.transaction((tx) => updateUnlessChanged(tx, copy, buildMismatchedColumns(tx, copy, text)));
}

/** Schedules another attempt without other changes. */
function postponeVerification(
  services: Pick<VerifyServices, 'database'>,
  copy: RegistryRow,
  text: string,
): Promise<boolean> {
  return services.database.transaction((tx) =>
    updateUnlessChanged(tx, copy, buildPostponedColumns(tx, { ...copy, pool: 'verification' }, text)),
  );
}

/** Returns the checksum of the local copy; null if it is damaged or missing. */
async function computeOwnChecksum({ git, blobs }: SyncServices, copy: RegistryRow): Promise<string | null> {
  if (!isRepository(copy.replicable_name)) {
    return copy.checksum === null ? null : computeBlobChecksum(blobs, copy.checksum);
  }
  const repository = getCopy(git, copy.storage ?? 'default', copy);
  try {
    if (copy.verification === 'verified' && !(await fsck(git, repository)).ok) return null;
    return await computeRepositoryChecksum(git, repository);
  } catch (error) {
    // `stopped`: git was aborted, which says nothing about the copy.
    if (!(error instanceof GitError) || error.failure.kind === 'stopped') throw error;
    return null;
  }
}
