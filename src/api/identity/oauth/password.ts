import { SCOPES } from '../../../identity/access-tokens.ts';
import { stateBar } from '../../../identity/bars.ts';
import { isRegistered, scopesOf } from '../../../identity/oauth-applications.ts';
import { createOAuthToken } from '../../../identity/oauth-tokens.ts';
import { checkPassword } from '../../../identity/password-sign-in.ts';
import { readUser } from '../../../identity/users.ts';
import { isRefused, refused } from '../../../refused.ts';
import { readSettings } from '../../../settings/settings.ts';
import { askedScopes } from './asked-scopes.ts';
import type { Grant } from './token.ts';

const DEFAULT_SCOPES = ['api'];

/** A user's name and password for a token that acts for him. It needs no client while the setting says so. */
export const grantForPassword: Grant = async ({ database }, { username, password, scope }, client) => {
  const { ropc_without_client_credentials } = await readSettings(database.reader);
  if (client === 'wrong' || (client === 'none' && !ropc_without_client_credentials)) return refused('invalidClient');
  const [allowed, usual] = client === 'none' ? [SCOPES, DEFAULT_SCOPES] : [scopesOf(client), scopesOf(client)];
  const scopes = askedScopes(scope, { allowed, usual });
  if (isRefused(scopes)) return scopes;
  const checked = await checkPassword({ database }, { login: username ?? '', password: password ?? '' });
  if (isRefused(checked)) return refused('invalidGrant');
  const applicationId = client === 'none' ? null : client.id;
  return database.transaction(async (tx) => {
    // The check of a password takes its time.
    if (applicationId !== null && !(await isRegistered(tx, applicationId))) return refused('invalidClient');
    const user = await readUser(tx, checked.user.id);
    if (user === null || stateBar(user) !== null) return refused('invalidGrant');
    return createOAuthToken(tx, { applicationId, userId: user.id, scopes, renewable: true });
  });
};
