import { findUserById } from '#authentication/users/users.ts';
import { findMembership, updateMembership } from '#domain/members/memberships.ts';
import { OWNER } from '#domain/members/roles.ts';
import { isTokenBot } from '#domain/members/token-bots.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Parent } from '#http/access/parents.ts';
import { type Failure, fail, invalid } from '#runtime/failure.ts';
import { recordMemberUpdated } from './activity.ts';
import type { MemberRow } from './entities.ts';
import { toMemberRow } from './store.ts';
import { isLevelAboveCaller, mustStayOwner, validateMembership } from './validation.ts';

export interface UpdateMemberInput {
  readonly accessLevel: number;
  /** Undefined keeps the expiry date; null removes it. */
  readonly expiresAt: string | null | undefined;
}

/**
 * Updates the level or expiry date of a direct member. Token bots cannot be changed. Concurrent requests cannot demote
 * the last Owner.
 */
export async function updateMember(
  uow: UnitOfWork,
  parent: Parent,
  userId: number,
  { accessLevel, expiresAt }: UpdateMemberInput,
): Promise<MemberRow | Failure<'notFound' | 'forbidden' | 'invalid'>> {
  const before = await findMembership(uow, parent, userId);
  if (before === null) return fail('notFound');
  if (before.access_level > parent.role || isLevelAboveCaller(parent, accessLevel)) return fail('forbidden');
  if (await isTokenBot(uow, userId)) return fail('forbidden');
  const input = { userId, accessLevel, expiresAt: expiresAt === undefined ? before.expires_at : expiresAt };
  // An unchanged expiry date in the past is not an error.
  const checkedInput = input.expiresAt === before.expires_at ? { ...input, expiresAt: null } : input;
  const errors = await validateMembership(uow, parent, checkedInput);
  if (errors !== null) return invalid(errors);
  if (accessLevel < OWNER && (await mustStayOwner(uow, parent, before))) return fail('forbidden');
  const membership = await updateMembership(uow, before.id, { access_level: accessLevel, expires_at: input.expiresAt });
  const user_name = (await findUserById(uow, userId))?.name ?? '';
  await recordMemberUpdated(uow, { membership, full_path: parent.full_path, user_name }, before);
  return toMemberRow(uow, membership);
}
