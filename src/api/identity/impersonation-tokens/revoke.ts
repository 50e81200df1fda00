import type { SignedInCaller } from '#authentication/caller.ts';
import { type AccessToken, revokeToken } from '#authentication/tokens/access-tokens.ts';
import type { User } from '#authentication/users/users.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { recordTokenEvent } from '../personal-access-tokens/index.ts';

/** Revokes a token of this user. Has no effect on a revoked token. */
export async function revokeImpersonationToken(
  uow: UnitOfWork<SignedInCaller>,
  token: AccessToken,
  owner: User,
): Promise<void> {
  if (await revokeToken(uow, token.id)) await recordTokenEvent(uow, { event: 'revoked', token, owner });
}
