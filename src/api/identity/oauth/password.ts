import type { Act } from '../../../facts/act.ts';
import type { Rooms } from '../../../http/rooms.ts';
import { SCOPES } from '../../../identity/access-tokens.ts';
import { stateBar } from '../../../identity/bars.ts';
import { NOBODY } from '../../../identity/caller.ts';
import { isRegistered, scopesOf } from '../../../identity/oauth-applications.ts';
import { createOAuthToken } from '../../../identity/oauth-tokens.ts';
import { checkPassword } from '../../../identity/password-sign-in.ts';
import { readUser } from '../../../identity/users.ts';
import { limitFailures } from '../../../limits/failed-sign-ins.ts';
import { isRefused, type Refused, refused } from '../../../refused.ts';
import { readSettings } from '../../../settings/settings.ts';
import { askedScopes } from './asked-scopes.ts';
import type { Client } from './client.ts';
import type { Granted, TokenRequest } from './grant.ts';

const DEFAULT_SCOPES = ['api'];

/** A user's name and password for a token that acts for him. It needs no client while the setting says so. */
export async function grantForPassword(
  { database, clock, acting }: Pick<Rooms, 'database' | 'clock' | 'acting'>,
  { username, password, scope }: TokenRequest,
  { client, address }: { readonly client: Client; readonly address: string },
): Promise<Granted | Refused<'tooMany'>> {
  const { ropc_without_client_credentials } = await readSettings(database.reader);
  if (client === 'wrong' || (client === 'none' && !ropc_without_client_credentials)) return refused('invalidClient');
  const [allowed, usual] = client === 'none' ? [SCOPES, DEFAULT_SCOPES] : [scopesOf(client), scopesOf(client)];
  const scopes = askedScopes(scope, { allowed, usual });
  if (isRefused(scopes)) return scopes;
  const proof = { login: username ?? '', password: password ?? '' };
  const checked = await limitFailures({ database, clock }, address, () => checkPassword({ database }, proof));
  if (isRefused(checked)) return checked.code === 'tooMany' ? checked : refused('invalidGrant');
  const applicationId = client === 'none' ? null : client.id;
  return acting(NOBODY, (act) => issue(act, { applicationId, userId: checked.user.id, scopes }));
}

interface Proven {
  readonly applicationId: number | null;
  readonly userId: number;
  readonly scopes: readonly string[];
}

/** The check of a password takes its time: client and user may be gone. */
async function issue(act: Act, { applicationId, userId, scopes }: Proven): Promise<Granted> {
  if (applicationId !== null && !(await isRegistered(act, applicationId))) return refused('invalidClient');
  const user = await readUser(act, userId);
  if (user === null || stateBar(user) !== null) return refused('invalidGrant');
  return createOAuthToken(act, { applicationId, userId, scopes, renewable: true });
}
