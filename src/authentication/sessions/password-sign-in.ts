import type { Columns, Database, Reader, Transaction } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import { type Params, prepare } from '#database/prepare.ts';
import type { UserState } from '#database/schema.ts';
import { addMilliseconds } from '#runtime/clock.ts';
import type { Waiter } from '#runtime/concurrency-limiter.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import type { Log } from '#runtime/log.ts';
import { verifyPassword } from '#security/passwords.ts';
import { loadSettings } from '#settings/settings.ts';
import { findUserById, type User } from '../users/users.ts';
import { createSession, createSessionSecret, deleteSession, type SessionClient } from './sessions.ts';

// Authentication with a password (contract/conventions.md §7 "Web sign-in", §10 the password grant).

/** Consecutive failures that lock an account. */
const MAX_FAILED_ATTEMPTS = 10;
const LOCK_DURATION_MS = 10 * 60 * 1000;

/** A web sign-in reactivates a deactivated account. */
const ALLOWED_STATES: readonly UserState[] = ['active', 'deactivated'];

/** An account that was locked just now. */
export interface LockedAccount {
  readonly id: number;
  readonly username: string;
}

export interface PasswordCheckServices {
  readonly database: Database;
  readonly log: Pick<Log, 'warn'>;
  /** Records in the audit events that an account is locked, in the transaction that locks it. */
  readonly recordLock: (tx: Transaction, account: LockedAccount) => Promise<void>;
}

/**
 * Checks the password of the user with this username or email address, ignoring case. Bots, internal users,
 * locked accounts, and blocked, banned or unapproved users fail like a wrong password. They cost the same work, so that
 * neither the response nor its duration reveals which accounts exist.
 * Ten consecutive failures lock an account for ten minutes, which is logged; success resets the count. Deactivated users and users with
 * an expired password are accepted: callers check `user`.
 */
export async function checkPassword(
  { database, log, recordLock }: PasswordCheckServices,
  { login, password }: { readonly login: string; readonly password: string },
  waiter?: Waiter,
): Promise<{ readonly user: User } | Failure<'invalid'>> {
  const candidate = await findCandidate(database.reader, login);
  const isCorrect = await verifyPassword(candidate?.password_hash ?? null, password, waiter);
  if (isCorrect && candidate !== null) {
    const user = await database.transaction((tx) => acceptSignIn(tx, candidate));
    return user === null ? fail('invalid') : { user };
  }
  const lockedAccount = await database.transaction(async (tx) => {
    const account = await countFailure(tx, candidate?.id ?? UNKNOWN_USER_ID);
    if (account !== null) await recordLock(tx, account);
    return account;
  });
  if (lockedAccount !== null)
    log.warn(
      { user_id: lockedAccount.id, username: lockedAccount.username, seconds: LOCK_DURATION_MS / 1000 },
      `Locked an account after ${MAX_FAILED_ATTEMPTS} wrong passwords; hearth user unlock ends the lock`,
    );
  return fail('invalid');
}

/** The user that the login names, not yet authenticated. */
type LoginCandidate = Columns<'users', 'id' | 'password_hash'>;

// index: users_by_username_key
const selectCandidateByUsername = prepare((db, value: Params<{ key: string }>) =>
  db.selectFrom('users').where('username_key', '=', value('key')).select(['id', 'password_hash']),
);

// index: emails_by_taken_key, users primary key
const selectCandidateByEmail = prepare((db, value: Params<{ key: string }>) =>
  db
    .selectFrom('emails')
    .innerJoin('users', 'users.id', 'emails.user_id')
    .where('emails.taken_key', '=', value('key'))
    .select(['users.id', 'users.password_hash']),
);

/** A login with an @ is an email address, which must be primary or confirmed. */
async function findCandidate(db: Reader, login: string): Promise<LoginCandidate | null> {
  const key = foldCase(login);
  return (await (key.includes('@') ? selectCandidateByEmail : selectCandidateByUsername).first(db, { key })) ?? null;
}

/**
 * Resets the failure count and returns the user, or null if they may no longer sign in. One statement checks the current
 * state: while the password was verified, the account may have been locked, blocked or given another password.
 */
async function acceptSignIn(tx: Transaction, { id, password_hash }: LoginCandidate): Promise<User | null> {
  const acceptedUser = await tx
    .updateTable('users')
    .set({ failed_attempts: 0, locked_until: null })
    .where('id', '=', id)
    .where('password_hash', '=', password_hash)
    .where('state', 'in', ALLOWED_STATES)
    .where('bot', '=', false)
    .where('internal', '=', false)
    .where((eb) => eb.or([eb('locked_until', 'is', null), eb('locked_until', '<=', tx.now)]))
    .returning('id')
    .executeTakeFirst();
  return acceptedUser === undefined ? null : findUserById(tx, id);
}

/** Matches no user: an unknown login runs the same statement. */
const UNKNOWN_USER_ID = 0;

/**
 * Counts a failure, except while the account is locked. The first failure after a lock starts a new count. Returns the account if
 * this failure locks it.
 */
async function countFailure(tx: Transaction, id: number): Promise<LockedAccount | null> {
  const lockedUntil = addMilliseconds(tx.now, LOCK_DURATION_MS);
  const counted = await tx
    .updateTable('users')
    .set((eb) => {
      const failedAttempts = eb
        .case()
        .when('locked_until', 'is', null)
        .then(eb('failed_attempts', '+', 1))
        .else(1)
        .end();
      return {
        failed_attempts: failedAttempts,
        locked_until: eb.case().when(failedAttempts, '>=', MAX_FAILED_ATTEMPTS).then(lockedUntil).else(null).end(),
      };
    })
    .where('id', '=', id)
    .where('password_hash', 'is not', null)
    .where((eb) => eb.or([eb('locked_until', 'is', null), eb('locked_until', '<=', tx.now)]))
    .returning(['id', 'username', 'locked_until'])
    .executeTakeFirst();
  return counted === undefined || counted.locked_until === null ? null : counted;
}

interface WebSignInInput {
  readonly login: string;
  readonly password: string;
  readonly session: { readonly digest: string };
  readonly client: SessionClient;
  readonly waiter: Waiter;
}

/**
 * Signs a user in on the web. Replaces the session of the form by a new one, whose secret nobody can know in advance. A
 * deactivated user becomes active (contract/conventions.md §7).
 */
export async function signInWithPassword(
  services: PasswordCheckServices,
  { login, password, session, client, waiter }: WebSignInInput,
): Promise<{ readonly secret: string } | Failure<'passwordSignInDisabled' | 'invalid'>> {
  const { database } = services;
  const settings = await loadSettings(database.reader);
  if (!settings.password_authentication_enabled_for_web) return fail('passwordSignInDisabled');
  const passwordCheck = await checkPassword(services, { login, password }, waiter);
  if (isFailure(passwordCheck)) return passwordCheck;
  const secret = createSessionSecret();
  return database.transaction(async (tx) => {
    if (!(await recordSignIn(tx, passwordCheck.user, client.address))) return fail('invalid');
    await deleteSession(tx, session.digest);
    await createSession(tx, { secret, userId: passwordCheck.user.id, client });
    return { secret };
  });
}

/** Records the sign-in and reactivates a deactivated user. Returns false if the user was blocked since the password check. */
async function recordSignIn(tx: Transaction, { id }: User, address: string): Promise<boolean> {
  const recordedUser = await tx
    .updateTable('users')
    .set((eb) => ({
      sign_in_count: eb('sign_in_count', '+', 1),
      last_sign_in_at: eb.fn.coalesce('current_sign_in_at', eb.val(tx.now)),
      last_sign_in_ip: eb.fn.coalesce('current_sign_in_ip', eb.val(address)),
      current_sign_in_at: tx.now,
      current_sign_in_ip: address,
      last_activity_on: tx.today,
    }))
    .where('id', '=', id)
    .where('state', 'in', ['active', 'deactivated'])
    .returning('id')
    .executeTakeFirst();
  if (recordedUser === undefined) return false;
  await tx
    .updateTable('users')
    .set({ state: 'active', updated_at: tx.now })
    .where('id', '=', id)
    .where('state', '=', 'deactivated')
    .execute();
  return true;
}
