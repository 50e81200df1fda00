import type { Transaction } from '#database/database.ts';
import { type Params, prepare } from '#database/prepare.ts';
import {
  getSignInBlock,
  getStateBlock,
  type IdentifiedUser,
  identifiedUserColumns,
  type SignedInCaller,
  toCallerUser,
} from './caller.ts';
import { isExpired } from './credentials.ts';
import { findOAuthTokenById, getInvalidTokenCode } from './oauth/tokens.ts';
import { findSessionByDigest } from './sessions/sessions.ts';
import { findJobTokenById } from './tokens/job-tokens.ts';

/** Reloads a caller in a transaction, which may run long after the request began. */

// index: access_tokens primary key, users primary key
const selectTokenById = prepare((db, value: Params<{ id: number }>) =>
  db
    .selectFrom('access_tokens')
    .innerJoin('users', 'users.id', 'access_tokens.user_id')
    .where('access_tokens.id', '=', value('id'))
    .select(['access_tokens.expires_at', 'access_tokens.revoked', ...identifiedUserColumns]),
);

// index: users primary key
const selectUserById = prepare((db, value: Params<{ id: number }>) =>
  db
    .selectFrom('users')
    .where('id', '=', value('id'))
    .where('deletion_scheduled_at', 'is', null)
    .select(identifiedUserColumns),
);

/**
 * Returns the caller with current data from this transaction, by the credential of the request: token, session and
 * account are read again. Null if the credential would be rejected now; the access checks of the request then produce
 * the error.
 * For an administrator who acts as another user (sudo), the administrator's account must be valid; the state of the
 * other user's account does not matter. A caller without a credential (work on behalf of a user) only needs a valid account.
 */
export async function reidentify(tx: Transaction, caller: SignedInCaller): Promise<SignedInCaller | null> {
  const owner = await findActiveOwner(tx, caller);
  if (owner === null) return null;
  if (owner.id === caller.user.id) return { ...caller, user: toCallerUser(owner) };
  if (!owner.admin) return null;
  const user = await selectUserById.first(tx, { id: caller.user.id });
  return user === undefined ? null : { ...caller, user: toCallerUser(user) };
}

/** Returns the owner of the credential; null if the credential or the account is no longer valid. */
async function findActiveOwner(tx: Transaction, caller: SignedInCaller): Promise<IdentifiedUser | null> {
  if (caller.token === null && caller.sessionDigest === undefined) {
    const user = await selectUserById.first(tx, { id: caller.user.id });
    return user === undefined || getStateBlock(user) !== null ? null : user;
  }
  const owner = await findCredentialOwner(tx, caller);
  return owner === null || getSignInBlock(owner, transactionClock(tx)) !== null ? null : owner;
}

async function findCredentialOwner(
  tx: Transaction,
  { token, sessionDigest: session }: SignedInCaller,
): Promise<IdentifiedUser | null> {
  // Without a token the credential is the session (see `findActiveOwner`).
  if (token === null) return (await findSessionByDigest(tx, session!, transactionClock(tx).now()))?.user ?? null;
  if (token.kind === 'oauth') {
    const oauthToken = await findOAuthTokenById(tx, token.id);
    return oauthToken === null || getInvalidTokenCode(oauthToken, tx.now) !== null ? null : oauthToken.user;
  }
  if (token.kind === 'job') return (await findJobTokenById(tx, token.id))?.user ?? null;
  const accessToken = await selectTokenById.first(tx, { id: token.id });
  return accessToken === undefined || accessToken.revoked || isExpired(accessToken.expires_at, tx.today)
    ? null
    : accessToken;
}

const transactionClock = (tx: Transaction) => ({ now: () => new Date(tx.now) });
