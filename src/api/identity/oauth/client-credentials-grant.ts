import { applicationExists, parseScopes } from '#authentication/oauth/applications.ts';
import { createOAuthToken } from '#authentication/oauth/tokens.ts';
import { fail, isFailure } from '#runtime/failure.ts';
import { parseRequestedScopes } from './requested-scopes.ts';
import type { Grant } from './token-request.ts';

/** Issues a token of the application itself, without a user. Only confidential applications can authenticate. */
export const clientCredentialsGrant: Grant = async (uow, { scope }, { client }) => {
  if (typeof client === 'string' || !client.confidential) return fail('invalidClient');
  const clientScopes = parseScopes(client);
  const scopes = parseRequestedScopes(scope, { allowed: clientScopes, defaults: clientScopes });
  if (isFailure(scopes)) return scopes;
  if (!(await applicationExists(uow, client.id))) return fail('invalidClient');
  return createOAuthToken(uow, { applicationId: client.id, userId: null, scopes, renewable: false });
};
