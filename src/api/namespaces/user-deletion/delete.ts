import { recordUser } from '#api/identity/users/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import { isOnlyAdministrator } from '#authentication/users/administrators.ts';
import { endAccount, isEnded } from '#authentication/users/deletion.ts';
import { readUserUntilGone } from '#authentication/users/users.ts';
import type { Reader } from '#database/database.ts';
import { solelyOwnedGroups } from '#domain/members/memberships.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { enqueue } from '#jobs/job.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { destroyUser } from './destroy.ts';

/**
 * Ends an account at once and leaves the rest to the queue (contract/conventions.md §10 `DELETE /users/:id`); with `hard`
 * groups that nobody else owns, and contributions elsewhere, go too. Deleting a user again who waits for that changes nothing.
 */
export async function deleteUser(
  uow: UnitOfWork<SignedInCaller>,
  userId: number,
  hard: boolean,
): Promise<undefined | Failure<'notFound' | 'onlyAdministrator' | 'soleOwner'>> {
  const user = await readUserUntilGone(uow, userId);
  if (user === null) return fail('notFound');
  if (await isEnded(uow, userId)) return undefined;
  if (await isOnlyAdministrator(uow, user)) return fail('onlyAdministrator');
  if (!hard && (await isSoleOwner(uow, userId))) return fail('soleOwner');
  await endAccount(uow, userId);
  const message = `User ${user.username} scheduled for deletion`;
  await recordUser(uow, user, { name: 'user_destroyed', called: user.username, message });
  await enqueue(uow, destroyUser, { userId, hard, by: uow.actor.user.id, address: uow.actor.address });
}

async function isSoleOwner(db: Reader, userId: number): Promise<boolean> {
  return (await solelyOwnedGroups(db, userId)).length > 0;
}
