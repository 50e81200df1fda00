import type { Database } from '../../../database/database.ts';
import { foldCase } from '../../../database/keys.ts';
import { forgetEmail } from '../../../identity/emails.ts';
import { readUser } from '../../../identity/users.ts';
import { type Refused, refused } from '../../../refused.ts';
import { readEmail } from './store.ts';

type DeleteRefusal = 'userNotFound' | 'internalUser' | 'emailNotFound' | 'primaryEmail';

/** Takes a secondary address from a user (contract/activity.md Part 4): whoever confirms it may have it from then on. */
export async function deleteEmail(
  database: Database,
  { userId, emailId }: { readonly userId: number; readonly emailId: number },
): Promise<undefined | Refused<DeleteRefusal>> {
  return database.transaction(async (tx) => {
    const user = await readUser(tx, userId);
    if (user === null) return refused('userNotFound');
    if (user.internal) return refused('internalUser');
    const found = await readEmail(tx, userId, emailId);
    if (found === null) return refused('emailNotFound');
    if (foldCase(found.email) === foldCase(user.email)) return refused('primaryEmail');
    await forgetEmail(tx, user, found.email);
    return undefined;
  });
}
