import { accessTokenOf, isAdministrator, type SignedInCaller } from '#authentication/caller.ts';
import { type AccessToken, readToken, revokeToken } from '#authentication/tokens/access-tokens.ts';
import { readUser, type User } from '#authentication/users/users.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { recordToken } from './activity.ts';

/** Administrators may do it with every token, others with their own; who impersonates is not the user. */
export function mayManage(caller: SignedInCaller, token: AccessToken): boolean {
  return isAdministrator(caller) || (token.user_id === caller.user.id && !token.impersonation);
}

/** Ends a token. Ending it again changes nothing. */
export async function revoke(
  uow: UnitOfWork<SignedInCaller>,
  id: number,
): Promise<undefined | Failure<'notFound' | 'notPermitted'>> {
  const token = await readToken(uow, id);
  if (token === null) return fail('notFound');
  if (!mayManage(uow.actor, token)) return fail('notPermitted');
  await end(uow, token);
}

/** Ends the token that the request came with; who impersonates somebody leaves that to administrators. */
export async function revokeOwn(
  uow: UnitOfWork<SignedInCaller>,
): Promise<undefined | Failure<'notPersonal' | 'notPermitted'>> {
  const used = accessTokenOf(uow.actor);
  if (used === null) return fail('notPersonal');
  if (used.impersonation) return fail('notPermitted');
  const token = await readToken(uow, used.id);
  if (token !== null) await end(uow, token);
}

async function end(uow: UnitOfWork<SignedInCaller>, token: AccessToken): Promise<void> {
  if (!(await revokeToken(uow, token.id))) return;
  const owner = (await readUser(uow, token.user_id)) as User;
  await recordToken(uow, { event: 'revoked', token, owner });
}
