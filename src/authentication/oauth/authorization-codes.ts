import type { Selectable } from 'kysely';
import type { Transaction } from '#database/database.ts';
import type { OAuthGrantsTable } from '#database/tables/oauth.ts';
import { momentAfter } from '#runtime/clock.ts';
import { digestToken, newHexToken } from '#security/tokens.ts';
import { endFamily, REMEMBERED_MS } from './tokens.ts';

// Authorization codes: a user has let an application have one, and the application exchanges it, once (RFC 6749 §4.1).

const LIFE_MS = 600_000;

/** What a client has committed itself to when it asked for a code: its proof comes with the exchange (RFC 7636). */
export interface Challenge {
  readonly challenge: string;
  readonly method: 'S256' | 'plain';
}

export type OAuthGrant = Omit<Selectable<OAuthGrantsTable>, 'digest' | 'token_id'>;

interface NewGrant {
  readonly applicationId: number;
  readonly userId: number;
  readonly scopes: readonly string[];
  readonly redirectUri: string;
  readonly challenge: Challenge | null;
}

/** Issues a code for ten minutes, and tells it. */
export async function createGrant(tx: Transaction, given: NewGrant): Promise<string> {
  const code = newHexToken();
  await tx
    .insertInto('oauth_grants')
    .values({
      digest: digestToken(code),
      application_id: given.applicationId,
      user_id: given.userId,
      scopes: JSON.stringify(given.scopes),
      redirect_uri: given.redirectUri,
      challenge: given.challenge?.challenge ?? null,
      challenge_method: given.challenge?.method ?? null,
      created_at: tx.now,
      expires_at: momentAfter(tx.now, LIFE_MS),
    })
    .execute();
  return code;
}

/**
 * Uses a code up and tells what it stands for; null when there is none, when it is over, or when it has been used. Of two
 * at once one finds it used. It stays used whatever comes of it, so whoever then refuses must not roll back.
 */
export async function takeGrant(tx: Transaction, code: string): Promise<OAuthGrant | null> {
  // index: oauth_grants_by_digest
  const grant = await tx
    .updateTable('oauth_grants')
    .set({ used_at: tx.now })
    .where('digest', '=', digestToken(code))
    .where('used_at', 'is', null)
    .where('expires_at', '>', tx.now)
    .returning([
      'id',
      'application_id',
      'user_id',
      'scopes',
      'redirect_uri',
      'challenge',
      'challenge_method',
      'created_at',
      'expires_at',
      'used_at',
    ])
    .executeTakeFirst();
  return grant ?? null;
}

/** What a code was exchanged for, in case that it comes again. */
export async function noteExchange(tx: Transaction, grantId: number, tokenId: number): Promise<void> {
  await tx.updateTable('oauth_grants').set({ token_id: tokenId }).where('id', '=', grantId).execute();
}

/**
 * Ends the tokens that came of this code, if it had been used before this request for it came in, `asked`: somebody else
 * has it too (RFC 6749 §4.1.2). Of two that come at once neither comes again.
 */
export async function endReplayedCode(tx: Transaction, code: string, asked: string): Promise<void> {
  // index: oauth_grants_by_digest
  const replayed = await tx
    .selectFrom('oauth_grants')
    .select('token_id')
    .where('digest', '=', digestToken(code))
    .where('used_at', '<', asked)
    .executeTakeFirst();
  if (replayed && replayed.token_id !== null) await endFamily(tx, { first: replayed.token_id });
}

/** Deletes codes that have been over for a month, so many at most, and tells how many. */
export async function deleteOldGrants(tx: Transaction, most: number): Promise<number> {
  // index: oauth_grants_by_expiry
  const old = tx
    .selectFrom('oauth_grants')
    .select('id')
    .where('expires_at', '<=', momentAfter(tx.now, -REMEMBERED_MS))
    .limit(most);
  const deleted = await tx.deleteFrom('oauth_grants').where('id', 'in', old).executeTakeFirst();
  return Number(deleted.numDeletedRows);
}
