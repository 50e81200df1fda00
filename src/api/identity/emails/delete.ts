import { removeEmailFromUser } from '#authentication/users/emails.ts';
import { findChangeableUser, type UnchangeableUserCode } from '#authentication/users/users.ts';
import { foldCase } from '#database/name-keys.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { findEmail } from './store.ts';

/** Deletes a secondary address of a user (contract/activity.md Part 4). Another user may claim it afterwards. */
export async function deleteEmail(
  uow: UnitOfWork,
  userId: number,
  emailId: number,
): Promise<undefined | Failure<UnchangeableUserCode | 'emailNotFound' | 'primaryEmail'>> {
  const user = await findChangeableUser(uow, userId);
  if (isFailure(user)) return user;
  const email = await findEmail(uow, userId, emailId);
  if (email === null) return fail('emailNotFound');
  if (foldCase(email.email) === foldCase(user.email)) return fail('primaryEmail');
  await removeEmailFromUser(uow, user, email.email);
}
