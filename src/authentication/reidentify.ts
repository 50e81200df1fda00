import type { Transaction } from '#database/database.ts';
import { type Params, prepare } from '#database/prepare.ts';
import type { CallerUser, SignedInCaller } from './caller.ts';
import { isExpired } from './credentials.ts';
import { type IdentifiedUser, identifiedUserColumns } from './identified-user.ts';
import { deadCode, oauthTokenById } from './oauth/tokens.ts';
import { findSessionByDigest } from './sessions/sessions.ts';
import { stateBar, userBar } from './sign-in-blocks.ts';
import { jobTokenById } from './tokens/job-tokens.ts';

/** A caller is known when his request begins; what he does may happen much later. */

// index: access_tokens primary key, users primary key
const tokenById = prepare((db, value: Params<{ id: number }>) =>
  db
    .selectFrom('access_tokens')
    .innerJoin('users', 'users.id', 'access_tokens.user_id')
    .where('access_tokens.id', '=', value('id'))
    .select(['access_tokens.expires_at', 'access_tokens.revoked', ...identifiedUserColumns]),
);

// index: users primary key
const userById = prepare((db, value: Params<{ id: number }>) =>
  db
    .selectFrom('users')
    .where('id', '=', value('id'))
    .where('deletion_scheduled_at', 'is', null)
    .select(identifiedUserColumns),
);

/**
 * The caller as he stands in this transaction, by the credential that his request came with: his token, session and
 * account are read again, and an administrator's who acts as somebody else, whose own state is no matter then. Null when they would not let him in any
 * more; why is for the door to say, where he would come in again. Somebody without a credential (work in a user's name) is
 * asked for his account alone.
 */
export async function identifyAgain(tx: Transaction, caller: SignedInCaller): Promise<SignedInCaller | null> {
  const owner = await ownerOf(tx, caller);
  if (owner === null) return null;
  if (owner.id === caller.user.id) return { ...caller, user: asCaller(owner) };
  if (!owner.admin) return null;
  const user = await userById.first(tx, { id: caller.user.id });
  return user === undefined ? null : { ...caller, user: asCaller(user) };
}

/** Whose credential it is, when it and he still count. */
async function ownerOf(tx: Transaction, caller: SignedInCaller): Promise<IdentifiedUser | null> {
  if (caller.token === null && caller.session === undefined) {
    const user = await userById.first(tx, { id: caller.user.id });
    return user === undefined || stateBar(user) !== null ? null : user;
  }
  const owner = await credentialOwner(tx, caller);
  return owner === null || userBar(owner, momentOf(tx)) !== null ? null : owner;
}

async function credentialOwner(tx: Transaction, { token, session }: SignedInCaller): Promise<IdentifiedUser | null> {
  if (token === null) return (await findSessionByDigest(tx, session as string, momentOf(tx).now()))?.user ?? null;
  if (token.kind === 'oauth') {
    const found = await oauthTokenById(tx, token.id);
    return found === null || deadCode(found, tx.now) !== null ? null : found.user;
  }
  if (token.kind === 'job') return (await jobTokenById(tx, token.id))?.user ?? null;
  const found = await tokenById.first(tx, { id: token.id });
  return found === undefined || found.revoked || isExpired(found.expires_at, tx.today) ? null : found;
}

const momentOf = (tx: Transaction) => ({ now: () => new Date(tx.now) });

function asCaller({ id, username, name, email, state, admin, bot, external }: IdentifiedUser): CallerUser {
  return { id, username, name, email, state, admin, bot, external };
}
