import type { SignedInCaller } from '#authentication/caller.ts';
import { findUserById } from '#authentication/users/users.ts';
import {
  createMembership,
  findInheritedMembership,
  findMembership,
  type Membership,
} from '#domain/members/memberships.ts';
import { ROLES } from '#domain/members/roles.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Parent } from '#http/access/parents.ts';
import { recordMemberAdded } from './activity.ts';

/** A member from another server. The access level may be one that Hearth does not have. */
export interface ImportMemberInput {
  readonly userId: number;
  readonly accessLevel: number;
  readonly expiresAt: string | null;
}

/**
 * Adds a member from another server, with at most the importing user's level and without an activity event
 * (contract/operations.md §1.4 "Users"). Returns null for the importing user, expired memberships, existing members,
 * and users with the same inherited level.
 */
export async function importMember(
  uow: UnitOfWork<SignedInCaller>,
  parent: Parent,
  { userId, accessLevel: requestedLevel, expiresAt }: ImportMemberInput,
): Promise<Membership | null> {
  const accessLevel = ROLES.findLast((role) => role <= Math.min(requestedLevel, parent.role));
  const user = await findUserById(uow, userId);
  if (accessLevel === undefined || user === null || userId === uow.actor.user.id) return null;
  if (expiresAt !== null && expiresAt <= uow.today) return null;
  if ((await findMembership(uow, parent, userId)) !== null) return null;
  const inheritedMembership = await findInheritedMembership(uow, parent, userId);
  if (inheritedMembership !== null && inheritedMembership.access_level >= accessLevel) return null;
  const createdById = uow.actor.user.id;
  const membership = await createMembership(uow, parent, { userId, accessLevel, expiresAt, createdById });
  if (membership !== null)
    await recordMemberAdded(uow, { membership, full_path: parent.full_path, user_name: user.name });
  return membership;
}
