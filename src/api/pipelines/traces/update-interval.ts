import { RUNNING_JOB_STATUSES } from '#authentication/tokens/job-tokens.ts';
import type { JobRow } from '#domain/jobs.ts';
import type { Services } from '#http/services.ts';
import { addMilliseconds, timestamp } from '#runtime/clock.ts';
import { findLastWatchedAt, updateWatchedAt } from './store.ts';

/** While a user watches the log of a running job, its runner sends updates more often (contract/runners.md §3.4). */

/** Seconds between two updates from a runner: for a log that nobody watches, and for a watched one. */
const [UPDATE_INTERVAL_SECONDS, WATCHED_UPDATE_INTERVAL_SECONDS] = [60, 3];

/** How long a log counts as watched after it was read. */
const WATCHED_MS = 60_000;

/** The minimum interval between two writes of the time of the last read. */
const WATCHED_WRITE_INTERVAL_MS = 20_000;

/** Returns the value of `X-GitLab-Trace-Update-Interval` for a log that was last read at this time. */
export function getUpdateInterval(watchedAt: string | null, now: string): string {
  const isWatched = watchedAt !== null && addMilliseconds(watchedAt, WATCHED_MS) > now;
  return String(isWatched ? WATCHED_UPDATE_INTERVAL_SECONDS : UPDATE_INTERVAL_SECONDS);
}

/** Stores that a user reads the log of this job, if it is running; at most once per interval. */
export async function recordTraceRead(
  { database, clock }: Pick<Services, 'database' | 'clock'>,
  { id, status }: Pick<JobRow, 'id' | 'status'>,
): Promise<void> {
  if (!RUNNING_JOB_STATUSES.includes(status)) return;
  const watchedAt = await findLastWatchedAt(database.reader, id);
  if (watchedAt !== null && addMilliseconds(watchedAt, WATCHED_WRITE_INTERVAL_MS) > timestamp(clock)) return;
  await database.transaction((tx) => updateWatchedAt(tx, id));
}
