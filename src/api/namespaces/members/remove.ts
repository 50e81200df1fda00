import type { SignedInCaller } from '#authentication/caller.ts';
import { findUserById } from '#authentication/users/users.ts';
import { endMembership, findMembership, listMembershipsBelow } from '#domain/members/memberships.ts';
import { isTokenBot } from '#domain/members/token-bots.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Parent } from '#http/access/parents.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { isMemberAboveCaller } from './access.ts';
import { recordMemberRemoved } from './activity.ts';
import { mustStayOwner } from './validation.ts';

export interface RemoveMemberOptions {
  /** Keeps the user's direct memberships of groups and projects below a group. */
  readonly skipSubresources: boolean;
  /** Also unassigns the user from issues and merge requests. */
  readonly unassign: boolean;
}

/**
 * Removes a direct membership, and for groups those below. The last Owner and token bots cannot be removed, even by
 * concurrent requests.
 */
export async function removeMember(
  uow: UnitOfWork<SignedInCaller>,
  parent: Parent,
  userId: number,
  { skipSubresources, unassign }: RemoveMemberOptions,
): Promise<undefined | Failure<'notFound' | 'forbidden'>> {
  const directMembership = await findMembership(uow, parent, userId);
  if (directMembership === null) return fail('notFound');
  if (isMemberAboveCaller(parent, uow.actor.user.id, directMembership)) return fail('forbidden');
  if (await isTokenBot(uow, userId)) return fail('forbidden');
  if (await mustStayOwner(uow, parent, directMembership)) return fail('forbidden');
  const user_name = (await findUserById(uow, userId))?.name ?? '';
  const membershipsBelow =
    parent.type === 'group' && !skipSubresources ? await listMembershipsBelow(uow, parent.id, userId) : [];
  for (const membership of [{ ...directMembership, full_path: parent.full_path }, ...membershipsBelow]) {
    await recordMemberRemoved(uow, { membership, full_path: membership.full_path, user_name });
    await endMembership(uow, membership, { unassign });
  }
}
