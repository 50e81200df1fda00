import { createHmac } from 'node:crypto';
import type { Reader, Transaction } from '#database/database.ts';
import { type Params, prepare } from '#database/prepare.ts';
import { momentAfter } from '#runtime/clock.ts';
import { digestToken, newToken } from '#security/tokens.ts';
import { type ApplicationSettings, readSettings } from '#settings/settings.ts';
import { type IdentifiedUser, identifiedUserColumns } from '../identified-user.ts';

// Browser sessions (contract/conventions.md §7 "Web sign-in and session cookie"). The cookie holds a random secret and
// nothing else; the database knows its digest. What a session may do is read in each request, so that a sign-out or a
// block holds in every process at once.

/** 258 random bits. */
const SECRET_LENGTH = 43;

export function newSessionSecret(): string {
  return newToken('', SECRET_LENGTH);
}

/** Whether a cookie's value can be one of ours at all: anything else needs no query. */
export function isSessionSecret(text: string): boolean {
  return text.length === SECRET_LENGTH && /^[\w-]+$/.test(text);
}

/**
 * What forms and scripts of the session's pages send along, to show that they are ours. It follows from the secret, so
 * it changes with it, and nobody who reads the database can make either; nothing leads back from it to the secret.
 */
export function csrfTokenOf(secret: string): string {
  return createHmac('sha256', secret).update('authenticity_token').digest('base64url');
}

const MINUTE_MS = 60_000;
/** Nobody's sessions are made by every visit to a form: they stay a day at most. */
const VISIT_MINUTES = 24 * 60;
/** How far `last_seen_at` may lag behind. */
const UNSEEN_MS = 5 * MINUTE_MS;

// index: sessions primary key, users primary key
const sessionByDigest = prepare((db, value: Params<{ digest: string }>) =>
  db
    .selectFrom('sessions')
    .leftJoin('users', 'users.id', 'sessions.user_id')
    .where('sessions.digest', '=', value('digest'))
    .select(['sessions.return_to', 'sessions.last_seen_at', ...identifiedUserColumns]),
);

export interface Session {
  readonly digest: string;
  readonly user: IdentifiedUser | null;
  /** The page that asked for a sign-in: path and query, below the server's address. */
  readonly returnTo: string | null;
  /** Its `last_seen_at` lags too far behind. */
  readonly isDue: boolean;
}

/** The session of this secret, unless it has been idle for too long. */
export function findSession(db: Reader, secret: string, now: Date): Promise<Session | null> {
  return findSessionByDigest(db, digestToken(secret), now);
}

/** The same for whoever has shown its secret before. */
export async function findSessionByDigest(db: Reader, digest: string, now: Date): Promise<Session | null> {
  const row = await sessionByDigest.first(db, { digest });
  if (row === undefined) return null;
  const { return_to: returnTo, last_seen_at, ...user } = row;
  const idle = now.getTime() - Date.parse(last_seen_at);
  const life = idleLife(user.id !== null, await readSettings(db));
  if (idle >= life) return null;
  const isDue = idle >= Math.min(UNSEEN_MS, life / 4);
  return { digest, user: user.id === null ? null : (user as IdentifiedUser), returnTo, isDue };
}

function idleLife(isSignedIn: boolean, { session_expire_delay: minutes }: ApplicationSettings): number {
  return (isSignedIn ? minutes : Math.min(minutes, VISIT_MINUTES)) * MINUTE_MS;
}

interface NewSession {
  readonly secret: string;
  /** null: somebody who has not signed in. */
  readonly userId: number | null;
  readonly returnTo?: string | null;
}

export async function startSession(tx: Transaction, { secret, userId, returnTo = null }: NewSession): Promise<void> {
  await tx
    .insertInto('sessions')
    .values({
      digest: digestToken(secret),
      user_id: userId,
      return_to: returnTo,
      created_at: tx.now,
      last_seen_at: tx.now,
    })
    .execute();
}

/** The page that the session goes to when its visitor has signed in. */
export async function rememberReturn(tx: Transaction, digest: string, returnTo: string): Promise<void> {
  await tx.updateTable('sessions').set({ return_to: returnTo }).where('digest', '=', digest).execute();
}

export async function seeSession(tx: Transaction, digest: string): Promise<void> {
  await tx.updateTable('sessions').set({ last_seen_at: tx.now }).where('digest', '=', digest).execute();
}

export async function endSession(tx: Transaction, digest: string): Promise<void> {
  await tx.deleteFrom('sessions').where('digest', '=', digest).execute();
}

/** Signs the user out everywhere. */
export async function endSessionsOf(tx: Transaction, userId: number): Promise<void> {
  // index: sessions_by_user
  await tx.deleteFrom('sessions').where('user_id', '=', userId).execute();
}

/** Deletes sessions that have been idle for too long, so many at most, and tells how many. */
export async function deleteIdleSessions(tx: Transaction, most: number): Promise<number> {
  const settings = await readSettings(tx);
  const seenBefore = (isSignedIn: boolean) => momentAfter(tx.now, -idleLife(isSignedIn, settings));
  // index: sessions_by_last_seen
  const idle = tx
    .selectFrom('sessions')
    .select('digest')
    .where('last_seen_at', '<=', seenBefore(false))
    .where((eb) => eb.or([eb('user_id', 'is', null), eb('last_seen_at', '<=', seenBefore(true))]))
    .limit(most);
  const found = tx.deleteFrom('sessions').where('digest', 'in', idle);
  // Asked of the row itself once more: its visitor may have come back in the last moment, after it was found.
  const deleted = await found.where('last_seen_at', '<=', seenBefore(false)).executeTakeFirst();
  return Number(deleted.numDeletedRows);
}
