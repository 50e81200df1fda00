import { readByRefreshToken, readOAuthToken, revokeOAuthToken } from '#authentication/oauth/tokens.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import type { Client } from './client-authentication.ts';

/**
 * Ends a token and its refresh token, whichever of the two is shown; one that nobody knows is ended already (RFC 7009). An
 * application's token is ended by that application alone.
 */
export async function revoke(
  uow: UnitOfWork,
  secret: string,
  client: Client,
): Promise<Failure<'notYours'> | undefined> {
  const token = (await readOAuthToken(uow, secret)) ?? (await readByRefreshToken(uow, secret));
  if (token === null) return;
  const owner = typeof client === 'string' ? null : client.id;
  if (token.application_id !== null && token.application_id !== owner) return fail('notYours');
  await revokeOAuthToken(uow, token.id);
}
