import type { SignedInCaller } from '#authentication/caller.ts';
import { type AccessToken, revokeToken } from '#authentication/tokens/access-tokens.ts';
import type { User } from '#authentication/users/users.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { recordToken } from '../personal-access-tokens/index.ts';

/** Ends a token of this user. Ending it again changes nothing. */
export async function revokeImpersonationToken(
  uow: UnitOfWork<SignedInCaller>,
  token: AccessToken,
  owner: User,
): Promise<void> {
  if (await revokeToken(uow, token.id)) await recordToken(uow, { event: 'revoked', token, owner });
}
