import { findMembership } from '#domain/members/memberships.ts';
import { MAINTAINER, OWNER } from '#domain/members/roles.ts';
import type { AccessCall } from '#http/access/access.ts';
import type { InParent, Pair } from '#http/access/parents.ts';
import { forbidden, nestedNotFound } from '#http/errors/http-error.ts';
import { required } from '#http/parameters/declarations.ts';
import { integer } from '#http/parameters/types.ts';

/** Who may see members, manage them, and leave (contract/planning.md §3.4). */

export const SEEING = { group: 'read_group_members', project: 'read_members' } as const;
export const MANAGING = { group: 'admin_group_member', project: 'admin_project_member' } as const;
/** Whoever sees the group or project: everybody may leave. */
export const LEAVING = { group: 'read_group', project: 'read_project' } as const;

/** The least role that manages members. */
const MANAGER: Pair<number> = { group: OWNER, project: MAINTAINER };

interface OfUser {
  readonly user_id: number;
}

/** The direct membership to remove: only managers learn who is a member, and everybody about himself. */
export const removableMember = {
  name: 'membership',
  params: { user_id: required(integer) },
  load({ db, params }: AccessCall<OfUser>, { parent, caller }: InParent) {
    if (params.user_id !== caller.user.id && parent.role < MANAGER[parent.type]) throw forbidden();
    return findMembership(db, parent, params.user_id);
  },
  notFound: nestedNotFound,
  authorize(_call: AccessCall, { parent, caller, membership }: InParent & { readonly membership: Ranked }) {
    if (isAbove(parent, caller.user.id, membership)) throw forbidden();
  },
} as const;

interface Ranked {
  readonly user_id: number;
  readonly access_level: number;
}

/** Is it somebody else's, of a role that this caller does not have? */
export function isAbove(
  { role }: { readonly role: number },
  userId: number,
  { user_id, access_level }: Ranked,
): boolean {
  return user_id !== userId && access_level > role;
}
