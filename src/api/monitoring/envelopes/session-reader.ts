import type { SessionBucket } from '#database/schema.ts';
import { isJsonObject, type JsonObject } from '#text/json-object.ts';
import { toText } from './texts.ts';

// Parses the sessions that SDKs report (contract/monitoring.md §13). Pure. Invalid sessions are skipped.

/** The release and environment by which sessions are counted. */
interface ReleaseEnvironment {
  readonly release: string;
  readonly environment: string | null;
}

/** One update of a session: its current outcome. */
export interface SessionUpdate extends ReleaseEnvironment {
  /** Id of the session, which the SDK generates. */
  readonly sid: string;
  readonly bucket: SessionBucket;
  /** Sequence number of the update, or null if the SDK sends none. */
  readonly seq: number | null;
}

/** The number of sessions per outcome. */
export interface SessionCounts extends ReleaseEnvironment {
  readonly counts: Readonly<Record<SessionBucket, number>>;
}

/** The outcomes of sessions. */
export const SESSION_BUCKETS: readonly SessionBucket[] = ['exited', 'errored', 'crashed', 'abnormal'];

/** Parses an item of type `session`. Returns null if it has no release or no session id. */
export function parseSession(session: JsonObject): SessionUpdate | null {
  const releaseEnvironment = parseReleaseEnvironment(session);
  const sid = toText(session.sid);
  if (releaseEnvironment === null || sid === null) return null;
  const seq = Number.isSafeInteger(session.seq) ? (session.seq as number) : null;
  return { ...releaseEnvironment, sid, bucket: selectBucket(session), seq };
}

/** Parses an item of type `sessions`. Returns null if it has no release or no aggregates. */
export function parseSessionCounts(sessions: JsonObject): SessionCounts | null {
  const releaseEnvironment = parseReleaseEnvironment(sessions);
  if (releaseEnvironment === null || !Array.isArray(sessions.aggregates)) return null;
  const counts = { exited: 0, errored: 0, crashed: 0, abnormal: 0 };
  for (const aggregate of sessions.aggregates.filter(isJsonObject)) {
    for (const bucket of SESSION_BUCKETS) counts[bucket] += toCount(aggregate[bucket]);
  }
  return { ...releaseEnvironment, counts };
}

function parseReleaseEnvironment({ attrs }: JsonObject): ReleaseEnvironment | null {
  const { release, environment } = isJsonObject(attrs) ? attrs : {};
  const releaseText = toText(release);
  return releaseText === null ? null : { release: releaseText, environment: toText(environment) };
}

/** Returns the outcome of a session. A session without errors counts as `exited`, even if it still runs. */
function selectBucket({ status, errors }: JsonObject): SessionBucket {
  if (status === 'crashed' || status === 'abnormal') return status;
  return status === 'errored' || (typeof errors === 'number' && errors > 0) ? 'errored' : 'exited';
}

/** Upper bound of a single count, far above the real number of sessions of a program per hour. */
const MAX_COUNT = 1_000_000_000;

/** Returns the count, or 0 for an invalid one. */
function toCount(value: unknown): number {
  const isCount = Number.isSafeInteger(value) && (value as number) >= 0;
  return isCount ? Math.min(value as number, MAX_COUNT) : 0;
}
