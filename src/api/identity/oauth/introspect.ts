import { deadCode, type OAuthTokenOfClient, readOAuthToken } from '#authentication/oauth/tokens.ts';
import type { Reader } from '#database/database.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import type { Client } from './client-authentication.ts';

/** The token, if it is a live one of the client that asks; null: there is none, or it is another one's (RFC 7662). */
export async function introspect(
  db: Reader,
  { secret, client, now }: { readonly secret: string; readonly client: Client; readonly now: string },
): Promise<OAuthTokenOfClient | null | Failure<'invalidClient'>> {
  if (typeof client === 'string') return fail('invalidClient');
  const token = await readOAuthToken(db, secret);
  const isTheirs = token !== null && token.application_id === client.id && deadCode(token, now) === null;
  return isTheirs ? token : null;
}
