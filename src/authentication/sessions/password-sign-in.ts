import type { Database, Reader, Transaction } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import { type Params, prepare } from '#database/prepare.ts';
import type { UserState } from '#database/tables/authentication.ts';
import { momentAfter } from '#runtime/clock.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { verifyPassword } from '#security/passwords.ts';
import { readUser, type User } from '../users/users.ts';

// Users who prove themselves with a password (contract/conventions.md §7 "Web sign-in", §10 the password grant).

/** So many failures in a row lock an account. */
const MOST_FAILURES = 10;
const LOCKED_MS = 10 * 60 * 1000;

/** A deactivated account is its user's still: a sign-in at the web wakes it. */
const WELCOME: readonly UserState[] = ['active', 'deactivated'];

/**
 * Is this the password of the user with this name or e-mail address, in any case? Bots, internal users, users who are
 * blocked, banned or not yet approved, and locked accounts are refused like a wrong password and after the same work, so
 * that neither the answer nor its time tells who exists. Ten failures in a row lock an account for ten minutes; success
 * forgets them. Deactivated users and those whose password has expired are not refused: whoever asks looks at `user`.
 */
export async function checkPassword(
  { database }: { readonly database: Database },
  { login, password }: { readonly login: string; readonly password: string },
): Promise<{ readonly user: User } | Failure<'invalid'>> {
  const claimed = await findClaimed(database.reader, login);
  const right = await verifyPassword(claimed?.password_hash ?? null, password);
  const user = await database.transaction((tx) =>
    right && claimed !== null ? welcome(tx, claimed) : countFailure(tx, claimed?.id ?? NO_ID),
  );
  return user === null ? fail('invalid') : { user };
}

/** Whom the login names: somebody who has still to prove it. */
interface Claimed {
  readonly id: number;
  readonly password_hash: string | null;
}

// index: users_by_username_key
const claimedByName = prepare((db, value: Params<{ key: string }>) =>
  db.selectFrom('users').where('username_key', '=', value('key')).select(['id', 'password_hash']),
);

// index: emails_by_taken_key, users primary key
const claimedByEmail = prepare((db, value: Params<{ key: string }>) =>
  db
    .selectFrom('emails')
    .innerJoin('users', 'users.id', 'emails.user_id')
    .where('emails.taken_key', '=', value('key'))
    .select(['users.id', 'users.password_hash']),
);

/** No username has an @; an address counts once it is the primary one or confirmed. */
async function findClaimed(db: Reader, login: string): Promise<Claimed | null> {
  const key = foldCase(login);
  return (await (key.includes('@') ? claimedByEmail : claimedByName).first(db, { key })) ?? null;
}

/**
 * One statement decides, on what is true now: in the time that the check has taken others may have locked the account,
 * blocked its user or changed the password.
 */
async function welcome(tx: Transaction, { id, password_hash }: Claimed): Promise<User | null> {
  const welcomed = await tx
    .updateTable('users')
    .set({ failed_attempts: 0, locked_until: null })
    .where('id', '=', id)
    .where('password_hash', '=', password_hash)
    .where('state', 'in', WELCOME)
    .where('bot', '=', false)
    .where('internal', '=', false)
    .where((eb) => eb.or([eb('locked_until', 'is', null), eb('locked_until', '<=', tx.now)]))
    .returning('id')
    .executeTakeFirst();
  return welcomed === undefined ? null : readUser(tx, id);
}

/** Nobody's: an unknown login costs the same statement. */
const NO_ID = 0;

/** Failures while the account is locked change nothing; the first one after that begins a new row. */
async function countFailure(tx: Transaction, id: number): Promise<null> {
  const until = momentAfter(tx.now, LOCKED_MS);
  await tx
    .updateTable('users')
    .set((eb) => {
      const failures = eb
        .case()
        .when('locked_until', 'is', null)
        .then(eb('failed_attempts', '+', 1))
        .else(1)
        .end();
      return {
        failed_attempts: failures,
        locked_until: eb.case().when(failures, '>=', MOST_FAILURES).then(until).else(null).end(),
      };
    })
    .where('id', '=', id)
    .where('password_hash', 'is not', null)
    .where((eb) => eb.or([eb('locked_until', 'is', null), eb('locked_until', '<=', tx.now)]))
    .execute();
  return null;
}
