import { readUser } from '#authentication/users/users.ts';
import { changeMembership, findMembership } from '#domain/members/memberships.ts';
import { OWNER } from '#domain/members/roles.ts';
import { isTokenBot } from '#domain/members/token-bots.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Parent } from '#http/access/parents.ts';
import { type Failure, fail, invalid } from '#runtime/failure.ts';
import { recordChanged } from './activity.ts';
import type { MemberRow } from './entities.ts';
import { withUser } from './store.ts';
import { isAboveCaller, mustStayOwner, problemsWith } from './validation.ts';

export interface Change {
  readonly accessLevel: number;
  /** undefined: as it is. */
  readonly expiresAt: string | null | undefined;
}

/**
 * Gives a direct member another level or last day. A token's bot keeps what it was made with. Two at once can't take the
 * last Owner away between them.
 */
export async function changeMember(
  uow: UnitOfWork,
  parent: Parent,
  userId: number,
  { accessLevel, expiresAt }: Change,
): Promise<MemberRow | Failure<'notFound' | 'forbidden' | 'invalid'>> {
  const before = await findMembership(uow, parent, userId);
  if (before === null) return fail('notFound');
  if (before.access_level > parent.role || isAboveCaller(parent, accessLevel)) return fail('forbidden');
  if (await isTokenBot(uow, userId)) return fail('forbidden');
  const wish = { userId, accessLevel, expiresAt: expiresAt === undefined ? before.expires_at : expiresAt };
  // A last day that has come already and stays as it is, is not a new mistake.
  const checked = wish.expiresAt === before.expires_at ? { ...wish, expiresAt: null } : wish;
  const errors = await problemsWith(uow, parent, checked);
  if (errors !== null) return invalid(errors);
  if (accessLevel < OWNER && (await mustStayOwner(uow, parent, before))) return fail('forbidden');
  const membership = await changeMembership(uow, before.id, { access_level: accessLevel, expires_at: wish.expiresAt });
  const user_name = (await readUser(uow, userId))?.name ?? '';
  await recordChanged(uow, { membership, full_path: parent.full_path, user_name }, before);
  return withUser(uow, membership);
}
