import { isRegistered, scopesOf } from '#authentication/oauth/applications.ts';
import { createOAuthToken } from '#authentication/oauth/tokens.ts';
import { fail, isFailure } from '#runtime/failure.ts';
import { askedScopes } from './requested-scopes.ts';
import type { Grant } from './token-request.ts';

/** A token of the application itself, without a user: only one that can keep a secret has proven who it is. */
export const grantToClient: Grant = async (uow, { scope }, { client }) => {
  if (typeof client === 'string' || !client.confidential) return fail('invalidClient');
  const own = scopesOf(client);
  const scopes = askedScopes(scope, { allowed: own, usual: own });
  if (isFailure(scopes)) return scopes;
  if (!(await isRegistered(uow, client.id))) return fail('invalidClient');
  return createOAuthToken(uow, { applicationId: client.id, userId: null, scopes, renewable: false });
};
