import { RUNNING_JOB_STATUSES } from '#authentication/tokens/job-tokens.ts';
import type { JobRow } from '#domain/jobs.ts';
import type { Services } from '#http/services.ts';
import { addMilliseconds, timestamp } from '#runtime/clock.ts';
import { findLastWatchedAt, updateWatchedAt } from './store.ts';

/** Who reads the log of a job that runs is to see it grow (contract/runners.md §3.4): its runner then sends what it has more often. */

/** In seconds, how often a runner is to send what it has. */
const [UPDATE_INTERVAL, UPDATE_INTERVAL_WATCHED] = [60, 3];

/** So long a log counts as read by somebody who has read it once. */
const WATCHED_MS = 60_000;

/** Who reads ever again is noted no more often. */
const WATCHED_UPDATE_MS = 20_000;

/** The value of `X-GitLab-Trace-Update-Interval` for a log that was last read then. */
export function getUpdateInterval(watchedAt: string | null, now: string): string {
  const isWatched = watchedAt !== null && addMilliseconds(watchedAt, WATCHED_MS) > now;
  return String(isWatched ? UPDATE_INTERVAL_WATCHED : UPDATE_INTERVAL);
}

/** Somebody reads the log of this job. */
export async function recordWatched(
  { database, clock }: Pick<Services, 'database' | 'clock'>,
  { id, status }: Pick<JobRow, 'id' | 'status'>,
): Promise<void> {
  if (!RUNNING_JOB_STATUSES.includes(status)) return;
  const watchedAt = await findLastWatchedAt(database.reader, id);
  if (watchedAt !== null && addMilliseconds(watchedAt, WATCHED_UPDATE_MS) > timestamp(clock)) return;
  await database.transaction((tx) => updateWatchedAt(tx, id));
}
