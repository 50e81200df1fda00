import { addMilliseconds } from '#runtime/clock.ts';
import {
  findLocalUserId,
  parseSourceProfile,
  type SourceUser,
  type UserMapping,
} from '../bulk-import-relations/index.ts';
import { CallFailed, ImportStopped, ResumeLater } from './failures.ts';
import type { EntityRun } from './running-entity.ts';
import { SourceFailure, type SourceResponse } from './source.ts';
import { findMappedUsers, insertMappedUser, type TrackerRow } from './store.ts';

// Calls of import jobs to the source server, with retries (contract/operations.md §1.4 "Retry").

const RETRIED_STATUSES: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);
/** Maximum number of retries of one call. */
const MAX_RETRIES = 10;

/**
 * Returns the response of the source, also for a 4xx. Throws ResumeLater if the call is to be retried later, and CallFailed if
 * it was retried too often or cannot succeed.
 */
export async function callSource(run: EntityRun, tracker: TrackerRow, path: string): Promise<SourceResponse> {
  const { sourceClient: source, signal } = run;
  try {
    const response = await source.get(path, { signal });
    if (!RETRIED_STATUSES.has(response.status)) return response;
    const retries = getRetries(tracker, path);
    const delaySeconds = getRetryDelaySeconds(
      { status: response.status, retryAfter: response.header('retry-after') },
      retries,
    );
    return throwRetryOrFailure(run, path, retries, delaySeconds, formatUnsuccessfulResponse(response, path));
  } catch (error) {
    if (!(error instanceof SourceFailure)) throw error;
    if (error.kind === 'aborted') throw new ImportStopped();
    if (!error.isTemporary)
      throw new CallFailed(error.kind === 'blocked' ? `URL is blocked: ${error.message}` : error.message);
    const retries = getRetries(tracker, path);
    return throwRetryOrFailure(run, path, retries, getBackoffSeconds(retries), error.message);
  }
}

/** Returns the failure message for a response that is not a 2xx. */
export function formatUnsuccessfulResponse({ status }: Pick<SourceResponse, 'status'>, path: string): string {
  return `Unsuccessful response ${status} from /api/v4${path.split('?', 1)[0]}`;
}

/** Returns how often this call was retried so far. `call`: the path, or another text that identifies the call. */
const getRetries = (tracker: TrackerRow, call: string) => (tracker.retried_call === call ? tracker.retries : 0);

/** Throws ResumeLater, or CallFailed after the last retry, for a failed Git fetch. `response`: that of the source, if any. */
export function throwGitRetryOrFailure(
  run: EntityRun,
  tracker: TrackerRow,
  call: string,
  message: string,
  response?: RetryHint,
): never {
  const retries = getRetries(tracker, call);
  return throwRetryOrFailure(
    run,
    call,
    retries,
    response === undefined ? getBackoffSeconds(retries) : getRetryDelaySeconds(response, retries),
    message,
  );
}

/** The parts of a response that decide the delay before a retry. */
interface RetryHint {
  readonly status: number;
  readonly retryAfter: string | null;
}

/** Returns seconds: for 429 the delay that the source requests, otherwise the backoff. */
const getRetryDelaySeconds = (response: RetryHint, retries: number): number =>
  response.status === 429 ? parseRetryAfter(response.retryAfter) : getBackoffSeconds(retries);

/** Throws ResumeLater with the next retry, or CallFailed after the last one. */
function throwRetryOrFailure(
  run: EntityRun,
  call: string,
  retries: number,
  delaySeconds: number,
  message: string,
): never {
  if (retries >= MAX_RETRIES) throw new CallFailed(message);
  throw new ResumeLater(addMilliseconds(run.now(), delaySeconds * 1000), { call, retries: retries + 1 });
}

/** Returns the seconds before a retry: 1, 2, 4, 8, 16, then always 30. */
export const getBackoffSeconds = (retries: number): number => (retries < 5 ? 2 ** retries : 30);

/** Returns the seconds of a Retry-After header, 1 to 300; 30 if it is missing or no number. */
export function parseRetryAfter(header: string | null): number {
  const seconds = header !== null && /^\s*\d{1,9}\s*$/.test(header) ? Number(header) : 30;
  return Math.min(300, Math.max(1, seconds));
}

/** Maps users of the source to local users. Each profile is fetched once per import (contract/operations.md §1.4 "Users"). */
export async function mapSourceUsers(
  run: EntityRun,
  tracker: TrackerRow,
  users: readonly (SourceUser | null | undefined)[],
): Promise<UserMapping> {
  const { database } = run.services;
  const importId = run.entity.bulk_import_id;
  const usersById = new Map(users.flatMap((user) => (user == null ? [] : [[user.id, user] as const])));
  const localIdsBySourceId = new Map(
    await findMappedUsers(database.forRequest().reader, importId, [...usersById.keys()]),
  );
  for (const [id, user] of usersById) {
    if (localIdsBySourceId.has(id)) continue;
    const profile = parseSourceProfile(await fetchProfile(run, tracker, id), user);
    const localId = await findLocalUserId(database.forRequest().reader, profile);
    await database.transaction((tx) => insertMappedUser(tx, importId, id, localId));
    localIdsBySourceId.set(id, localId);
    // A page may refer to 100,000 users, so the run yields after its deadline.
    if (run.now() > run.deadline) throw new ResumeLater(run.now());
  }
  return { getLocalUserId: (user) => (user == null ? null : (localIdsBySourceId.get(user.id) ?? null)) };
}

/** Fetches the profile of a user from the source; null if the call fails. */
async function fetchProfile(run: EntityRun, tracker: TrackerRow, id: number): Promise<unknown> {
  // No user has such an id: the source sent invalid data.
  if (id <= 0) return null;
  try {
    return (await callSource(run, tracker, `/users/${id}`)).json;
  } catch (error) {
    if (!(error instanceof CallFailed)) throw error;
    return null;
  }
}
