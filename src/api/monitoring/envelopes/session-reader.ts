import type { SessionBucket } from '#database/tables/error-tracking.ts';
import { isJsonObject, type JsonObject } from '#text/json-object.ts';
import { textOf } from './texts.ts';

/** Reading the sessions that SDKs tell of (contract/monitoring.md §13): pure. What can't be read is left out. */

/** Where sessions are counted. */
interface Place {
  readonly release: string;
  readonly environment: string | null;
}

/** One session, as far as it has come. */
export interface SessionStep extends Place {
  readonly sid: string;
  readonly bucket: SessionBucket;
  /** Which of the steps of the session it is, where the SDK counts them. */
  readonly seq: number | null;
}

/** How many sessions have ended in which way. */
export interface SessionCounts extends Place {
  readonly counts: Readonly<Record<SessionBucket, number>>;
}

export const BUCKETS: readonly SessionBucket[] = ['exited', 'errored', 'crashed', 'abnormal'];

/** An item `session`; null: it is not one that can be counted. */
export function readSession(session: JsonObject): SessionStep | null {
  const place = placeOf(session);
  const sid = textOf(session.sid);
  if (place === null || sid === null) return null;
  const seq = Number.isSafeInteger(session.seq) ? (session.seq as number) : null;
  return { ...place, sid, bucket: bucketOf(session), seq };
}

/** An item `sessions`; null: it is not one that can be counted. */
export function readSessions(sessions: JsonObject): SessionCounts | null {
  const place = placeOf(sessions);
  if (place === null || !Array.isArray(sessions.aggregates)) return null;
  const counts = { exited: 0, errored: 0, crashed: 0, abnormal: 0 };
  for (const each of sessions.aggregates.filter(isJsonObject)) {
    for (const bucket of BUCKETS) counts[bucket] += countOf(each[bucket]);
  }
  return { ...place, counts };
}

function placeOf({ attrs }: JsonObject): Place | null {
  const { release, environment } = isJsonObject(attrs) ? attrs : {};
  const named = textOf(release);
  return named === null ? null : { release: named, environment: textOf(environment) };
}

function bucketOf({ status, errors }: JsonObject): SessionBucket {
  if (status === 'crashed' || status === 'abnormal') return status;
  return status === 'errored' || (typeof errors === 'number' && errors > 0) ? 'errored' : 'exited';
}

/** What one program may have seen in an hour, and more. */
const LARGEST = 1_000_000_000;

function countOf(value: unknown): number {
  const isCount = Number.isSafeInteger(value) && (value as number) >= 0;
  return isCount ? Math.min(value as number, LARGEST) : 0;
}
