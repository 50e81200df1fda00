import { findMembership } from '#domain/members/memberships.ts';
import { MAINTAINER, OWNER } from '#domain/members/roles.ts';
import type { AccessCall } from '#http/access/access.ts';
import type { ByParentType, ParentContext } from '#http/access/parents.ts';
import { forbidden, genericNotFound } from '#http/errors/http-error.ts';
import { required } from '#http/parameters/declarations.ts';
import { integer } from '#http/parameters/types.ts';

/** Permissions to see members, to manage them, and to end one's own membership (contract/planning.md §3.4). */

/** Abilities to see members. */
export const VIEW_ABILITIES = { group: 'read_group_members', project: 'read_members' } as const;
/** Abilities to add, update and remove members. */
export const MANAGE_ABILITIES = { group: 'admin_group_member', project: 'admin_project_member' } as const;
/** Everybody who can see the group or project may leave it. */
export const LEAVE_ABILITIES = { group: 'read_group', project: 'read_project' } as const;

/** Lowest role that may manage members. */
const MIN_MANAGER_ROLES: ByParentType<number> = { group: OWNER, project: MAINTAINER };

interface UserParams {
  readonly user_id: number;
}

/** Loads the direct membership to remove. Only managers may address other users' memberships. */
export const removableMember = {
  name: 'membership',
  params: { user_id: required(integer) },
  load({ db, params }: AccessCall<UserParams>, { parent, caller }: ParentContext) {
    if (params.user_id !== caller.user.id && parent.role < MIN_MANAGER_ROLES[parent.type]) throw forbidden();
    return findMembership(db, parent, params.user_id);
  },
  notFound: genericNotFound,
  authorize(_call: AccessCall, { parent, caller, membership }: ParentContext & { readonly membership: MemberLevel }) {
    if (isMemberAboveCaller(parent, caller.user.id, membership)) throw forbidden();
  },
} as const;

/** A user with a role. */
interface MemberLevel {
  readonly user_id: number;
  readonly access_level: number;
}

/** Returns whether the membership belongs to another user with a role above the caller's. */
export function isMemberAboveCaller(
  { role }: { readonly role: number },
  userId: number,
  { user_id, access_level }: MemberLevel,
): boolean {
  return user_id !== userId && access_level > role;
}
