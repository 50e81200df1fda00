import { timestamp } from '../../../clock.ts';
import type { Rooms } from '../../../http/rooms.ts';
import { NOBODY } from '../../../identity/caller.ts';
import { type Refused, refused } from '../../../refused.ts';
import type { Client } from './client.ts';
import { grantToClient } from './client-credentials.ts';
import { exchangeCode } from './exchange-code.ts';
import type { Grant, Granted, TokenRequest } from './grant.ts';
import { grantForPassword } from './password.ts';
import { refresh } from './refresh.ts';

/** The ways that need nothing but the database. */
const GRANTS = new Map<string, Grant>([
  ['authorization_code', exchangeCode],
  ['refresh_token', refresh],
  ['client_credentials', grantToClient],
]);

/** Issues a token by the way that the client has named. */
export async function grantToken(
  rooms: Pick<Rooms, 'database' | 'clock' | 'acting'>,
  request: TokenRequest,
  { client, address }: { readonly client: Client; readonly address: string },
): Promise<Granted | Refused<'unsupportedGrantType' | 'tooMany'>> {
  const { grant_type } = request;
  if (!grant_type) return refused('missing', { parameter: 'grant_type' });
  if (grant_type === 'password') return grantForPassword(rooms, request, { client, address });
  const grant = GRANTS.get(grant_type);
  if (grant === undefined) return refused('unsupportedGrantType');
  const asking = { client, at: timestamp(rooms.clock) };
  // In an object, for a refusal as such would roll back: a code that was refused is used up.
  const { granted } = await rooms.acting(NOBODY, async (act) => ({ granted: await grant(act, request, asking) }));
  return granted;
}
