import type { SignedInCaller } from '#authentication/caller.ts';
import { readUser } from '#authentication/users/users.ts';
import { endMembership, findMembership, membershipsBelow } from '#domain/members/memberships.ts';
import { isTokenBot } from '#domain/members/token-bots.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Parent } from '#http/access/parents.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { isAbove } from './access.ts';
import { recordRemoved } from './activity.ts';
import { mustStayOwner } from './validation.ts';

export interface Removal {
  /** Of a group: the user's direct memberships below stay. */
  readonly skipSubresources: boolean;
  /** Issues and merge requests there are no longer assigned to the user. */
  readonly unassign: boolean;
}

/**
 * Ends a direct membership, and with that in a group those in everything below. The last Owner stays, whoever asks, and
 * so does a token's bot; two at once can't remove one another's last Owner.
 */
export async function removeMember(
  uow: UnitOfWork<SignedInCaller>,
  parent: Parent,
  userId: number,
  { skipSubresources, unassign }: Removal,
): Promise<undefined | Failure<'notFound' | 'forbidden'>> {
  const own = await findMembership(uow, parent, userId);
  if (own === null) return fail('notFound');
  if (isAbove(parent, uow.actor.user.id, own)) return fail('forbidden');
  if (await isTokenBot(uow, userId)) return fail('forbidden');
  if (await mustStayOwner(uow, parent, own)) return fail('forbidden');
  const user_name = (await readUser(uow, userId))?.name ?? '';
  const below = parent.type === 'group' && !skipSubresources ? await membershipsBelow(uow, parent.id, userId) : [];
  for (const membership of [{ ...own, full_path: parent.full_path }, ...below]) {
    await recordRemoved(uow, { membership, full_path: membership.full_path, user_name });
    await endMembership(uow, membership, { unassign });
  }
}
