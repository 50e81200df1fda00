import type { SignedInCaller } from '#authentication/caller.ts';
import { readUser } from '#authentication/users/users.ts';
import { addMembership, findMembership, inheritedMembership, type Membership } from '#domain/members/memberships.ts';
import { ROLES } from '#domain/members/roles.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Parent } from '#http/access/parents.ts';
import { recordAdded } from './activity.ts';

/** A member as another server tells of him; the level may be one that there is only there. */
export interface ImportedMember {
  readonly userId: number;
  readonly accessLevel: number;
  readonly expiresAt: string | null;
}

/**
 * Makes a member of another server one here too, at the importing user's level at most (contract/operations.md §1.4 "Users"); no feed
 * tells of it. Null where nothing is to be done: the importing user himself, whose days are over, who is a member already or has as
 * much from above.
 */
export async function importMember(
  uow: UnitOfWork<SignedInCaller>,
  parent: Parent,
  { userId, accessLevel: given, expiresAt }: ImportedMember,
): Promise<Membership | null> {
  const accessLevel = ROLES.findLast((role) => role <= Math.min(given, parent.role));
  const user = await readUser(uow, userId);
  if (accessLevel === undefined || user === null || userId === uow.actor.user.id) return null;
  if (expiresAt !== null && expiresAt <= uow.today) return null;
  if ((await findMembership(uow, parent, userId)) !== null) return null;
  const inherited = await inheritedMembership(uow, parent, userId);
  if (inherited !== null && inherited.access_level >= accessLevel) return null;
  const createdById = uow.actor.user.id;
  const membership = await addMembership(uow, parent, { userId, accessLevel, expiresAt, createdById });
  if (membership !== null) await recordAdded(uow, { membership, full_path: parent.full_path, user_name: user.name });
  return membership;
}
