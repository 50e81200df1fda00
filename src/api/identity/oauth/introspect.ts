import {
  findOAuthTokenByAccessToken,
  getInvalidTokenCode,
  hasBlockedUser,
  type OAuthTokenWithClient,
} from '#authentication/oauth/tokens.ts';
import type { Reader } from '#database/database.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import type { ClientStatus } from './client-authentication.ts';

/**
 * Returns a valid token of the calling client; null if it does not exist, belongs to another client or its user cannot
 * sign in (RFC 7662).
 */
export async function introspectToken(
  db: Reader,
  { secret, client, now }: { readonly secret: string; readonly client: ClientStatus; readonly now: string },
): Promise<OAuthTokenWithClient | null | Failure<'invalidClient'>> {
  if (typeof client === 'string') return fail('invalidClient');
  const token = await findOAuthTokenByAccessToken(db, secret);
  const isValidForClient =
    token !== null && token.application_id === client.id && getInvalidTokenCode(token, now) === null;
  if (!isValidForClient || (await hasBlockedUser(db, token, { now: () => new Date(now) }))) return null;
  return token;
}
