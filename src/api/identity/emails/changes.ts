import {
  type Email,
  insertUserEmail,
  isEmailTaken,
  normalizeAddress,
  removeEmailFromUser,
  validateAddress,
} from '#authentication/users/emails.ts';
import { findChangeableUser, type UnchangeableUserCode } from '#authentication/users/users.ts';
import { foldCase } from '#database/name-keys.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail, invalid, isFailure } from '#runtime/failure.ts';
import { findEmail } from './store.ts';

interface CreateEmailInput {
  readonly email: string;
  /** Whether to skip the confirmation link. */
  readonly confirmed: boolean;
}

const ADDRESS_TAKEN = invalid({ email: ['has already been taken'] });

/** Errors by unique index, for an address that a concurrent request has added. */
export const EMAIL_UNIQUE_ERRORS = {
  emails_by_taken_key: ADDRESS_TAKEN,
  emails_by_user_address: ADDRESS_TAKEN,
} as const;

/** Adds a secondary address (contract/activity.md Part 4). Fails if the user already has it, or if another user has confirmed it. */
export async function createEmail(
  uow: UnitOfWork,
  userId: number,
  { email, confirmed }: CreateEmailInput,
): Promise<Email | Failure<UnchangeableUserCode | 'invalid'>> {
  const user = await findChangeableUser(uow, userId);
  if (isFailure(user)) return user;
  const address = normalizeAddress(email);
  const problems = validateAddress(address);
  if (problems.length > 0) return invalid({ email: problems });
  if (await isEmailTaken(uow, address)) return ADDRESS_TAKEN;
  return insertUserEmail(uow, { userId, address, confirmed, primary: false });
}

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
