import { getAccessToken, isAdministrator, type SignedInCaller } from '#authentication/caller.ts';
import { type AccessToken, findAccessToken, revokeToken } from '#authentication/tokens/access-tokens.ts';
import { findUserById, type User } from '#authentication/users/users.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { recordTokenEvent } from './activity.ts';

/** Returns whether the caller may manage a token: administrators every token, other users their own, except impersonation tokens. */
export function canManageToken(caller: SignedInCaller, token: AccessToken): boolean {
  return isAdministrator(caller) || (token.user_id === caller.user.id && !token.impersonation);
}

/** Revokes a token. Has no effect on a revoked token. */
export async function revokePersonalToken(
  uow: UnitOfWork<SignedInCaller>,
  id: number,
): Promise<undefined | Failure<'notFound' | 'notPermitted'>> {
  const token = await findAccessToken(uow, id);
  if (token === null) return fail('notFound');
  if (!canManageToken(uow.actor, token)) return fail('notPermitted');
  await revokeAndRecord(uow, token);
}

/** Revokes the token of the request. An impersonation token can do so only if its user is an administrator. */
export async function revokeOwnToken(
  uow: UnitOfWork<SignedInCaller>,
): Promise<undefined | Failure<'notPersonal' | 'notPermitted'>> {
  const currentToken = getAccessToken(uow.actor);
  if (currentToken === null) return fail('notPersonal');
  const token = await findAccessToken(uow, currentToken.id);
  if (token === null) return;
  if (!canManageToken(uow.actor, token)) return fail('notPermitted');
  await revokeAndRecord(uow, token);
}

async function revokeAndRecord(uow: UnitOfWork<SignedInCaller>, token: AccessToken): Promise<void> {
  if (!(await revokeToken(uow, token.id))) return;
  const owner = (await findUserById(uow, token.user_id)) as User;
  await recordTokenEvent(uow, { event: 'revoked', token, owner });
}
