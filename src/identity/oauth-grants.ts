import type { Selectable } from 'kysely';
import { momentAfter } from '../clock.ts';
import type { Transaction } from '../database/database.ts';
import type { OAuthGrantsTable } from '../database/tables/oauth.ts';
import { digestToken, newHexToken } from '../secrets/tokens.ts';

// Authorization codes: a user has let an application have one, and the application exchanges it, once (RFC 6749 §4.1).

const LIFE_MS = 600_000;

/** What a client has committed itself to when it asked for a code: its proof comes with the exchange (RFC 7636). */
export interface Challenge {
  readonly challenge: string;
  readonly method: 'S256' | 'plain';
}

export type OAuthGrant = Omit<Selectable<OAuthGrantsTable>, 'digest'>;

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
 * at once one finds it used. Whoever then refuses rolls the transaction back, and the code stays as it was.
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

/** Deletes codes that are over, so many at most, and tells how many. */
export async function deleteOldGrants(tx: Transaction, most: number): Promise<number> {
  // index: oauth_grants_by_expiry
  const old = tx.selectFrom('oauth_grants').select('id').where('expires_at', '<=', tx.now).limit(most);
  const deleted = await tx.deleteFrom('oauth_grants').where('id', 'in', old).executeTakeFirst();
  return Number(deleted.numDeletedRows);
}
