import { forgetEmail } from '#authentication/users/emails.ts';
import { changeableUser, type Unchangeable } from '#authentication/users/users.ts';
import { foldCase } from '#database/name-keys.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { readEmail } from './store.ts';

/** Takes a secondary address from a user (contract/activity.md Part 4): whoever confirms it may have it from then on. */
export async function deleteEmail(
  uow: UnitOfWork,
  userId: number,
  emailId: number,
): Promise<undefined | Failure<Unchangeable | 'emailNotFound' | 'primaryEmail'>> {
  const user = await changeableUser(uow, userId);
  if (isFailure(user)) return user;
  const found = await readEmail(uow, userId, emailId);
  if (found === null) return fail('emailNotFound');
  if (foldCase(found.email) === foldCase(user.email)) return fail('primaryEmail');
  await forgetEmail(uow, user, found.email);
}
