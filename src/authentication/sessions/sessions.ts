import { createHmac } from 'node:crypto';
import type { Database, Reader, Transaction } from '#database/database.ts';
import { type Params, prepare } from '#database/prepare.ts';
import { defineJob, deleteInBatches, type JobDefinition } from '#jobs/job.ts';
import type { Schedule } from '#jobs/schedules.ts';
import { addMilliseconds } from '#runtime/clock.ts';
import { generateToken, hashToken } from '#security/tokens.ts';
import { type ApplicationSettings, loadSettings } from '#settings/settings.ts';
import { type IdentifiedUser, identifiedUserColumns } from '../caller.ts';

// Browser sessions (contract/conventions.md §7 "Web sign-in and session cookie"). The cookie holds only a random
// secret; the database stores its digest. Each request reads the session, so that a sign-out or a block takes effect in
// every process immediately.

/** Number of characters: 258 random bits. */
const SECRET_LENGTH = 43;

export function createSessionSecret(): string {
  return generateToken('', SECRET_LENGTH);
}

/** Returns whether a cookie's value has the format of a session secret; otherwise no query is needed. */
export function isSessionSecret(text: string): boolean {
  return text.length === SECRET_LENGTH && /^[\w-]+$/.test(text);
}

/**
 * Returns the CSRF token that forms and scripts of the session's pages send. It is derived from the secret, so it
 * changes with it, and neither can be computed from the database.
 */
export function deriveCsrfToken(secret: string): string {
  return createHmac('sha256', secret).update('authenticity_token').digest('base64url');
}

const MINUTE_MS = 60_000;
/** Sessions without a user are created by every visit to a form, so they expire after a day. */
const MAX_ANONYMOUS_IDLE_MINUTES = 24 * 60;
/** Interval at which `last_seen_at` of a session in use is updated. */
const LAST_SEEN_UPDATE_MS = 5 * MINUTE_MS;

// index: sessions_by_digest, users primary key
const selectSessionByDigest = prepare((db, value: Params<{ digest: string }>) =>
  db
    .selectFrom('sessions')
    .leftJoin('users', 'users.id', 'sessions.user_id')
    .where('sessions.digest', '=', value('digest'))
    .select(['sessions.return_to', 'sessions.last_seen_at', ...identifiedUserColumns]),
);

/** A session that has not expired. */
interface Session {
  readonly digest: string;
  readonly user: IdentifiedUser | null;
  /** The page that required the sign-in: path and query, relative to the server's address. */
  readonly returnTo: string | null;
  /** Whether `last_seen_at` is so old that it must be updated. */
  readonly needsUpdate: boolean;
}

/** Returns the session with this secret, unless it has expired. */
export function findSession(db: Reader, secret: string, now: Date): Promise<Session | null> {
  return findSessionByDigest(db, hashToken(secret), now);
}

/** Returns the session with this digest, unless it has expired; used to check the caller again in a later transaction of the request. */
export async function findSessionByDigest(db: Reader, digest: string, now: Date): Promise<Session | null> {
  const row = await selectSessionByDigest.first(db, { digest });
  if (row === undefined) return null;
  const { return_to: returnTo, last_seen_at, ...user } = row;
  const idleMs = now.getTime() - Date.parse(last_seen_at);
  const maxIdleMs = getMaxIdleMs(user.id !== null, await loadSettings(db));
  if (idleMs >= maxIdleMs) return null;
  // If sessions expire soon, updates are more frequent, so that a session in use does not expire.
  const needsUpdate = idleMs >= Math.min(LAST_SEEN_UPDATE_MS, maxIdleMs / 4);
  return { digest, user: user.id === null ? null : (user as IdentifiedUser), returnTo, needsUpdate };
}

function getMaxIdleMs(isSignedIn: boolean, { session_expire_delay: minutes }: ApplicationSettings): number {
  return (isSignedIn ? minutes : Math.min(minutes, MAX_ANONYMOUS_IDLE_MINUTES)) * MINUTE_MS;
}

/** The browser that signs in. */
export interface SessionClient {
  readonly address: string;
  /** The header `User-Agent`; null without one. */
  readonly userAgent: string | null;
}

interface CreateSessionInput {
  readonly secret: string;
  /** null: not signed in. */
  readonly userId: number | null;
  readonly returnTo?: string | null;
  /** Absent: not signed in. */
  readonly client?: SessionClient;
}

/** Maximum length of a stored `User-Agent` in characters. */
const MAX_USER_AGENT_LENGTH = 255;

export async function createSession(
  tx: Transaction,
  { secret, userId, returnTo = null, client }: CreateSessionInput,
): Promise<void> {
  await tx
    .insertInto('sessions')
    .values({
      digest: hashToken(secret),
      user_id: userId,
      return_to: returnTo,
      ip_address: client?.address ?? null,
      user_agent: client?.userAgent?.slice(0, MAX_USER_AGENT_LENGTH) ?? null,
      created_at: tx.now,
      last_seen_at: tx.now,
    })
    .execute();
}

/** Sets the page to open after the sign-in. */
export async function updateReturnTo(tx: Transaction, digest: string, returnTo: string): Promise<void> {
  await tx.updateTable('sessions').set({ return_to: returnTo }).where('digest', '=', digest).execute();
}

/** Sets the time of the last use to now, and the address from which it came. */
export async function touchSession(tx: Transaction, digest: string, address: string): Promise<void> {
  await tx
    .updateTable('sessions')
    .set({ last_seen_at: tx.now, ip_address: address })
    .where('digest', '=', digest)
    .execute();
}

export async function deleteSession(tx: Transaction, digest: string): Promise<void> {
  await tx.deleteFrom('sessions').where('digest', '=', digest).execute();
}

/** Deletes all sessions of a user, except the one with this digest. */
export async function deleteSessionsOfUser(tx: Transaction, userId: number, exceptDigest?: string): Promise<void> {
  // index: sessions_by_user
  await tx
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .$if(exceptDigest !== undefined, (query) => query.where('digest', '<>', exceptDigest!))
    .execute();
}

/** Returns the time of the last use before which sessions of users have expired. */
export async function getSessionExpiry(db: Reader, now: string): Promise<string> {
  return addMilliseconds(now, -getMaxIdleMs(true, await loadSettings(db)));
}

/** Deletes a session of this user by its id. Returns whether it existed. index: sessions primary key */
export async function deleteSessionById(tx: Transaction, userId: number, id: number): Promise<boolean> {
  const query = tx.deleteFrom('sessions').where('id', '=', id).where('user_id', '=', userId);
  return (await query.executeTakeFirst()).numDeletedRows === 1n;
}

/** Deletes up to `limit` expired sessions; returns how many. */
export async function deleteIdleSessions(tx: Transaction, limit: number): Promise<number> {
  const settings = await loadSettings(tx);
  const getLastSeenLimit = (isSignedIn: boolean) => addMilliseconds(tx.now, -getMaxIdleMs(isSignedIn, settings));
  // Anonymous sessions expire no later than others, so their limit bounds the index range of both.
  // index: sessions_by_last_seen
  const idleSessions = tx
    .selectFrom('sessions')
    .select('digest')
    .where('last_seen_at', '<=', getLastSeenLimit(false))
    .where((eb) => eb.or([eb('user_id', 'is', null), eb('last_seen_at', '<=', getLastSeenLimit(true))]))
    .limit(limit);
  const deleteQuery = tx.deleteFrom('sessions').where('digest', 'in', idleSessions);
  // Checks the row again: the session may have been used since it was selected.
  const deleteResult = await deleteQuery.where('last_seen_at', '<=', getLastSeenLimit(false)).executeTakeFirst();
  return Number(deleteResult.numDeletedRows);
}

const NAME = 'clean_up_sessions';
const BATCH_SIZE = 1_000;

type CleanupServices = { readonly database: Database };

/** Deletes expired sessions. */
export const cleanUpSessionsJob: JobDefinition<CleanupServices, Record<string, never>> = defineJob({
  kind: NAME,
  handle: ({ database }) => deleteInBatches(database, BATCH_SIZE, deleteIdleSessions),
});

export const cleanUpSessionsDaily: Schedule<CleanupServices> = {
  name: NAME,
  cron: '10 4 * * *',
  job: cleanUpSessionsJob,
};
