import { solelyOwnedGroups } from '../../../access/memberships.ts';
import { enqueue } from '../../../background/job.ts';
import type { Database, Transaction } from '../../../database/database.ts';
import { recordAudit } from '../../../history/index.ts';
import type { SignedIn } from '../../../identity/caller.ts';
import { endAccount, hasOtherAdministrator, isEnded } from '../../../identity/deletion.ts';
import { readUserUntilGone, type User } from '../../../identity/users.ts';
import { type Refused, refused } from '../../../refused.ts';
import { destroyUser } from './destroy.ts';

export interface Deletion {
  readonly userId: number;
  /** Groups that nobody else owns, and contributions elsewhere, go too. */
  readonly hard: boolean;
  readonly caller: SignedIn;
}

type DeletionRefusal = 'notFound' | 'lastAdministrator' | 'soleOwner';

/**
 * Ends an account at once and leaves the rest to the queue (contract/conventions.md §10 `DELETE /users/:id`). Deleting a
 * user again who waits for that changes nothing.
 */
export async function deleteUser(
  database: Database,
  { userId, hard, caller }: Deletion,
): Promise<undefined | Refused<DeletionRefusal>> {
  return database.transaction(async (tx) => {
    const user = await readUserUntilGone(tx, userId);
    if (user === null) return refused('notFound');
    if (await isEnded(tx, userId)) return undefined;
    if (user.admin && !(await hasOtherAdministrator(tx, userId))) return refused('lastAdministrator');
    if (!hard && (await isSoleOwner(tx, userId))) return refused('soleOwner');
    await endAccount(tx, userId);
    await recordDeletion(tx, caller, user);
    await enqueue(tx, destroyUser, { userId, hard, by: caller.user.id, address: caller.address });
    return undefined;
  });
}

async function isSoleOwner(tx: Transaction, userId: number): Promise<boolean> {
  return (await solelyOwnedGroups(tx, userId)).length > 0;
}

function recordDeletion(tx: Transaction, caller: SignedIn, { id, username }: User): Promise<void> {
  return recordAudit(tx, caller, {
    name: 'user_destroyed',
    entity: { type: 'User', id, path: username },
    target: { type: 'User', id, details: username },
    message: `User ${username} scheduled for deletion`,
  });
}
