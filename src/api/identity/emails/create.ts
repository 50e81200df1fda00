import type { Database, Transaction } from '../../../database/database.ts';
import { uniqueViolation } from '../../../database/dialect.ts';
import { addressProblems, type Email, insertEmail, isEmailTaken } from '../../../identity/emails.ts';
import { readUser } from '../../../identity/users.ts';
import { type Refused, refused } from '../../../refused.ts';

export interface EmailOrder {
  readonly userId: number;
  readonly email: string;
  /** Nobody has to follow a link first. */
  readonly confirmed: boolean;
}

type CreateRefusal = 'userNotFound' | 'internalUser' | 'invalid';

/** Gives a user a secondary address (contract/activity.md Part 4). Refuses one that this user or, confirmed, another has. */
export async function createEmail(database: Database, order: EmailOrder): Promise<Email | Refused<CreateRefusal>> {
  return database.transaction(async (tx) => {
    const user = await readUser(tx, order.userId);
    if (user === null) return refused('userNotFound');
    if (user.internal) return refused('internalUser');
    const problems = problemsOf(order.email);
    return problems.length > 0 ? invalid(problems) : addUnlessTaken(tx, order);
  });
}

function problemsOf(email: string): string[] {
  return email.trim() === '' ? ["can't be blank"] : addressProblems(email);
}

function invalid(email: readonly string[]): Refused<'invalid'> {
  return refused('invalid', { errors: { email } });
}

const TAKEN = ['has already been taken'];

/** Two at once: the database lets one of them through. */
async function addUnlessTaken(tx: Transaction, { userId, email: address, confirmed }: EmailOrder) {
  if (await isEmailTaken(tx, address)) return invalid(TAKEN);
  try {
    return await insertEmail(tx, { userId, address, confirmed, primary: false });
  } catch (error) {
    switch (uniqueViolation(error)) {
      case 'emails_by_taken_key':
      case 'emails_by_user_address':
        return invalid(TAKEN);
      default:
        throw error;
    }
  }
}
