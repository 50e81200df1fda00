import { hasOtherOwner, inheritedMembership, type Membership } from '../../../access/memberships.ts';
import { problemsOf, type RecordErrors } from '../../../access/names.ts';
import { OWNER, ROLES, roleName } from '../../../access/roles.ts';
import type { Reader } from '../../../database/database.ts';
import type { Source } from './source.ts';

/** What may not become of members (contract/planning.md §3.4 "Errors"). */

export interface Wish {
  readonly userId: number;
  readonly accessLevel: number;
  readonly expiresAt: string | null;
}

/** The membership's own rules: a known level, not below an inherited one, not over already. */
export async function problemsWith(
  db: Reader,
  source: Source,
  wish: Wish,
  today: string,
): Promise<RecordErrors | null> {
  return problemsOf({
    access_level: await levelProblems(db, source, wish, today),
    expires_at: wish.expiresAt !== null && wish.expiresAt < today ? ['cannot be a date in the past'] : [],
  });
}

async function levelProblems(
  db: Reader,
  source: Source,
  { userId, accessLevel }: Wish,
  today: string,
): Promise<string[]> {
  if (!ROLES.includes(accessLevel)) return ['is not included in the list'];
  const inherited = await inheritedMembership(db, source, userId, today);
  if (inherited === null || accessLevel >= inherited.access_level) return [];
  const role = roleName(inherited.access_level);
  return [`should be greater than or equal to ${role} inherited membership from group ${inherited.group_name}`];
}

/** Nobody gives a level above his own. One that is no level at all is the membership's own problem. */
export function isAboveCaller({ callerRole }: Source, level: number): boolean {
  return ROLES.includes(level) && level > callerRole;
}

/** Must this user stay Owner: the last one of a top-level group, or the one whose namespace the project is in? */
export async function mustStayOwner(
  db: Reader,
  source: Source,
  membership: Membership,
  today: string,
): Promise<boolean> {
  if (membership.access_level !== OWNER) return false;
  if (source.personal) return (await namespaceOwner(db, source.namespaceId)) === membership.user_id;
  return source.needsOwner && !(await hasOtherOwner(db, source.id, membership.user_id, today));
}

/** index: namespaces primary key */
async function namespaceOwner(db: Reader, id: number): Promise<number | null> {
  const row = await db.selectFrom('namespaces').select('owner_id').where('id', '=', id).executeTakeFirst();
  return row?.owner_id ?? null;
}
