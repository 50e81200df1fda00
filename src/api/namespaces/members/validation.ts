import type { Reader } from '#database/database.ts';
import { hasOtherOwner, inheritedMembership, type Membership } from '#domain/members/memberships.ts';
import { OWNER, ROLES, roleName } from '#domain/members/roles.ts';
import type { Parent } from '#http/access/parents.ts';
import { type FieldErrors, fieldErrors } from '#runtime/failure.ts';

/** What may not become of members (contract/planning.md §3.4 "Errors"). */

export interface Wish {
  readonly userId: number;
  readonly accessLevel: number;
  readonly expiresAt: string | null;
}

/** The membership's own rules: a known level, not below an inherited one, not over already. */
export async function problemsWith(db: Reader, parent: Parent, wish: Wish): Promise<FieldErrors | null> {
  return fieldErrors({
    access_level: await levelProblems(db, parent, wish),
    expires_at: wish.expiresAt !== null && wish.expiresAt < db.today ? ['cannot be a date in the past'] : [],
  });
}

async function levelProblems(db: Reader, parent: Parent, { userId, accessLevel }: Wish): Promise<string[]> {
  if (!ROLES.includes(accessLevel)) return ['is not included in the list'];
  const inherited = await inheritedMembership(db, parent, userId);
  if (inherited === null || accessLevel >= inherited.access_level) return [];
  const role = roleName(inherited.access_level);
  return [`should be greater than or equal to ${role} inherited membership from group ${inherited.group_name}`];
}

/** Nobody gives a level above his own. One that is no level at all is the membership's own problem. */
export function isAboveCaller({ role }: Parent, level: number): boolean {
  return ROLES.includes(level) && level > role;
}

/** Must this user stay Owner: the last one of a top-level group, or the one whose namespace the project is in? */
export async function mustStayOwner(
  db: Reader,
  { id, namespaceId, group, project }: Parent,
  membership: Membership,
): Promise<boolean> {
  if (membership.access_level !== OWNER) return false;
  if (project?.namespace_kind === 'user') return (await namespaceOwner(db, namespaceId)) === membership.user_id;
  return group?.parent_id === null && !(await hasOtherOwner(db, id, membership.user_id));
}

/** index: namespaces primary key */
async function namespaceOwner(db: Reader, id: number): Promise<number | null> {
  const row = await db.selectFrom('namespaces').select('owner_id').where('id', '=', id).executeTakeFirst();
  return row?.owner_id ?? null;
}
