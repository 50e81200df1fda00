import {
  findOAuthTokenByAccessToken,
  findOAuthTokenByRefreshToken,
  revokeOAuthToken,
} from '#authentication/oauth/tokens.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import type { ClientStatus } from './client-authentication.ts';

/**
 * Revokes an access token and its refresh token, given either of them. An unknown token succeeds (RFC 7009). Only the
 * application of a token may revoke it.
 */
export async function revokeClientToken(
  uow: UnitOfWork,
  secret: string,
  client: ClientStatus,
): Promise<Failure<'notTokenOwner'> | undefined> {
  const token = (await findOAuthTokenByAccessToken(uow, secret)) ?? (await findOAuthTokenByRefreshToken(uow, secret));
  if (token === null) return;
  const clientId = typeof client === 'string' ? null : client.id;
  if (token.application_id !== null && token.application_id !== clientId) return fail('notTokenOwner');
  await revokeOAuthToken(uow, token.id);
}
