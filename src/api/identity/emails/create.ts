import { addressProblems, type Email, insertEmail, isEmailTaken, keptAddress } from '#authentication/users/emails.ts';
import { changeableUser, type Unchangeable } from '#authentication/users/users.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, invalid, isFailure } from '#runtime/failure.ts';

interface NewAddress {
  readonly email: string;
  /** Nobody has to follow a link first. */
  readonly confirmed: boolean;
}

const TAKEN_ADDRESS = invalid({ email: ['has already been taken'] });

/** Unique index -> how whoever loses a race to it is refused. */
export const TAKEN = { emails_by_taken_key: TAKEN_ADDRESS, emails_by_user_address: TAKEN_ADDRESS } as const;

/** Gives a user a secondary address (contract/activity.md Part 4). Refuses one that this user or, confirmed, another has. */
export async function createEmail(
  uow: UnitOfWork,
  userId: number,
  { email, confirmed }: NewAddress,
): Promise<Email | Failure<Unchangeable | 'invalid'>> {
  const user = await changeableUser(uow, userId);
  if (isFailure(user)) return user;
  const address = keptAddress(email);
  const problems = addressProblems(address);
  if (problems.length > 0) return invalid({ email: problems });
  if (await isEmailTaken(uow, address)) return TAKEN_ADDRESS;
  return insertEmail(uow, { userId, address, confirmed, primary: false });
}
