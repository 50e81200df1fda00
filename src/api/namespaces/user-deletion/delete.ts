import { recordUserEvent } from '#api/identity/users/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import { disableAccount, isDeletionScheduled } from '#authentication/users/deletion.ts';
import { findUserUntilDeleted, isOnlyAdministrator } from '#authentication/users/users.ts';
import type { Reader } from '#database/database.ts';
import { listSolelyOwnedGroups } from '#domain/members/memberships.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { enqueue } from '#jobs/job.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { destroyUser } from './destroy.ts';

/**
 * Deactivates an account immediately and enqueues the rest of the deletion (contract/conventions.md §10 `DELETE
 * /users/:id`). With `hardDelete` it also deletes groups without another owner, and contributions. Repeating the call
 * changes nothing.
 */
export async function scheduleUserDeletion(
  uow: UnitOfWork<SignedInCaller>,
  userId: number,
  hardDelete: boolean,
): Promise<undefined | Failure<'notFound' | 'onlyAdministrator' | 'soleOwner'>> {
  const user = await findUserUntilDeleted(uow, userId);
  if (user === null) return fail('notFound');
  if (await isDeletionScheduled(uow, userId)) return undefined;
  if (await isOnlyAdministrator(uow, user)) return fail('onlyAdministrator');
  if (!hardDelete && (await isSoleOwner(uow, userId))) return fail('soleOwner');
  await disableAccount(uow, userId);
  const message = `User ${user.username} scheduled for deletion`;
  await recordUserEvent(uow, user, { name: 'user_destroyed', targetDetails: user.username, message });
  await enqueue(uow, destroyUser, { userId, hard: hardDelete, by: uow.actor.user.id, address: uow.actor.address });
}

async function isSoleOwner(db: Reader, userId: number): Promise<boolean> {
  return (await listSolelyOwnedGroups(db, userId)).length > 0;
}
