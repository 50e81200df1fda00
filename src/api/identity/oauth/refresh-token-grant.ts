import { scopesOf } from '#authentication/oauth/applications.ts';
import { createOAuthToken, endReplayed, readByRefreshToken, revokeOAuthToken } from '#authentication/oauth/tokens.ts';
import { stateBar } from '#authentication/sign-in-blocks.ts';
import { readUser } from '#authentication/users/users.ts';
import { fail } from '#runtime/failure.ts';
import type { Grant } from './token-request.ts';

/**
 * A new pair of tokens for a refresh token; the old pair ends in the same transaction. Of two at once one finds it ended. One
 * that comes again later, by whomever, ends what came of it.
 */
export const refresh: Grant = async (uow, { refresh_token }, { client, at }) => {
  if (!refresh_token) return fail('notFound', { parameter: 'refresh_token' });
  const old = await readByRefreshToken(uow, refresh_token);
  if (old === null) return fail(client === 'wrong' ? 'invalidClient' : 'invalidGrant');
  await endReplayed(uow, old, at);
  const { application_id: applicationId, user_id: userId } = old;
  if (client === 'wrong' || (client === 'none' && applicationId !== null)) return fail('invalidClient');
  if (client !== 'none' && client.id !== applicationId) return fail('invalidGrant');
  const user = userId === null ? null : await readUser(uow, userId);
  if (user === null || stateBar(user) !== null) return fail('invalidGrant');
  if (!(await revokeOAuthToken(uow, old.id))) return fail('invalidGrant');
  const wish = { applicationId, userId: user.id, scopes: scopesOf(old), renewable: true };
  return createOAuthToken(uow, { ...wish, previous: old });
};
