import type { Clock } from '../../../clock.ts';
import type { Reader } from '../../../database/database.ts';
import { deadCode, type OAuthTokenOfClient, readOAuthToken } from '../../../identity/oauth-tokens.ts';
import { type Refused, refused } from '../../../refused.ts';
import type { Client } from './client.ts';

/** A live token of the client that asks; null: there is none, or it is another one's (RFC 7662). */
export async function introspect(
  { db, clock }: { readonly db: Reader; readonly clock: Clock },
  secret: string,
  client: Client,
): Promise<{ readonly token: OAuthTokenOfClient | null } | Refused<'invalidClient'>> {
  if (typeof client === 'string') return refused('invalidClient');
  const token = await readOAuthToken(db, secret);
  const isTheirs = token !== null && token.application_id === client.id && deadCode(token, clock.now()) === null;
  return { token: isTheirs ? token : null };
}
