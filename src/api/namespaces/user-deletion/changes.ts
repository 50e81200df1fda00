import { deleteAuthorActivity } from '#activity/index.ts';
import { deleteUserRow, getGhostUserId } from '#authentication/users/deletion.ts';
import { endMembershipsOfUser } from '#domain/members/memberships.ts';
import { deletePersonalNamespace } from '#domain/namespaces/namespaces.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { clearIntentUser } from '#repositories/ref-updates/intents.ts';

/**
 * Deletes a user whose personal namespace is empty, with all references. Contributions are reassigned to the ghost
 * user, or with `hard` deleted (contract/conventions.md §10 "Internal users").
 */
export async function deleteUserWithReferences(
  uow: UnitOfWork,
  { userId, hard }: { readonly userId: number; readonly hard: boolean },
): Promise<void> {
  await uow.publish('user-deleted', { userId, ghostUserId: await getGhostUserId(uow), hard });
  await endMembershipsOfUser(uow, userId);
  await deleteAuthorActivity(uow, userId);
  await clearIntentUser(uow, userId);
  await deletePersonalNamespace(uow, userId);
  await deleteUserRow(uow, userId);
}
