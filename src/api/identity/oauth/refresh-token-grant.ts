import { parseScopes } from '#authentication/oauth/applications.ts';
import {
  createOAuthToken,
  findOAuthTokenByRefreshToken,
  revokeFamilyOfReplayedToken,
  revokeOAuthToken,
} from '#authentication/oauth/tokens.ts';
import { getStateBlock } from '#authentication/sign-in-blocks.ts';
import { findUserById } from '#authentication/users/users.ts';
import { fail } from '#runtime/failure.ts';
import type { Grant } from './token-request.ts';

/**
 * Issues a new pair of tokens for a refresh token and revokes the old pair in the same transaction; of two concurrent
 * requests one fails. A later replay of the refresh token revokes the tokens issued for it.
 */
export const refreshTokenGrant: Grant = async (uow, { refresh_token }, { client, startedAt }) => {
  if (!refresh_token) return fail('notFound', { parameter: 'refresh_token' });
  const refreshedToken = await findOAuthTokenByRefreshToken(uow, refresh_token);
  if (refreshedToken === null) return fail(client === 'invalid' ? 'invalidClient' : 'invalidGrant');
  await revokeFamilyOfReplayedToken(uow, refreshedToken, startedAt);
  const { application_id: applicationId, user_id: userId } = refreshedToken;
  if (client === 'invalid' || (client === 'none' && applicationId !== null)) return fail('invalidClient');
  if (client !== 'none' && client.id !== applicationId) return fail('invalidGrant');
  const user = userId === null ? null : await findUserById(uow, userId);
  if (user === null || getStateBlock(user) !== null) return fail('invalidGrant');
  if (!(await revokeOAuthToken(uow, refreshedToken.id))) return fail('invalidGrant');
  const input = { applicationId, userId: user.id, scopes: parseScopes(refreshedToken), renewable: true };
  return createOAuthToken(uow, { ...input, previous: refreshedToken });
};
