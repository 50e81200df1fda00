import type { Reader } from '#database/database.ts';
import { findInheritedMembership, hasOtherOwner, type Membership } from '#domain/members/memberships.ts';
import { getRoleName, OWNER, ROLES } from '#domain/members/roles.ts';
import type { Parent } from '#http/access/parents.ts';
import { compactFieldErrors, type FieldErrors } from '#runtime/failure.ts';

/** Validation of memberships (contract/planning.md §3.4 "Errors"). */

export interface MembershipInput {
  readonly userId: number;
  readonly accessLevel: number;
  readonly expiresAt: string | null;
}

/** Returns the errors of a membership: unknown level, level below the inherited one, or expiry date in the past. */
export async function validateMembership(
  db: Reader,
  parent: Parent,
  input: MembershipInput,
): Promise<FieldErrors | null> {
  return compactFieldErrors({
    access_level: await validateLevel(db, parent, input),
    expires_at: input.expiresAt !== null && input.expiresAt < db.today ? ['cannot be a date in the past'] : [],
  });
}

async function validateLevel(db: Reader, parent: Parent, { userId, accessLevel }: MembershipInput): Promise<string[]> {
  if (!ROLES.includes(accessLevel)) return ['is not included in the list'];
  const inheritedMembership = await findInheritedMembership(db, parent, userId);
  if (inheritedMembership === null || accessLevel >= inheritedMembership.access_level) return [];
  const role = getRoleName(inheritedMembership.access_level);
  return [
    `should be greater than or equal to ${role} inherited membership from group ${inheritedMembership.group_name}`,
  ];
}

/** Returns whether the level is above the caller's own. False for unknown levels, which `validateMembership` reports. */
export function isLevelAboveCaller({ role }: Parent, level: number): boolean {
  return ROLES.includes(level) && level > role;
}

/**
 * Returns whether this user must stay Owner: as the last Owner of a top-level group, or as the owner of the
 * project's personal namespace.
 */
export async function mustStayOwner(
  db: Reader,
  { id, namespaceId, group, project }: Parent,
  membership: Membership,
): Promise<boolean> {
  if (membership.access_level !== OWNER) return false;
  if (project?.namespace_kind === 'user') return (await findNamespaceOwnerId(db, namespaceId)) === membership.user_id;
  return group?.parent_id === null && !(await hasOtherOwner(db, id, membership.user_id));
}

/** index: namespaces primary key */
async function findNamespaceOwnerId(db: Reader, id: number): Promise<number | null> {
  const row = await db.selectFrom('namespaces').select('owner_id').where('id', '=', id).executeTakeFirst();
  return row?.owner_id ?? null;
}
