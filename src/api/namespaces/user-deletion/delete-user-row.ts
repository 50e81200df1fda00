import { forgetAuthorActivity } from '#activity/index.ts';
import { deleteUserRow, ghostId } from '#authentication/users/deletion.ts';
import { endMembershipsOf } from '#domain/members/memberships.ts';
import { deletePersonalNamespace } from '#domain/namespaces/namespaces.ts';
import { PIECE } from '#events/batches.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { forgetIntentUser } from '#repositories/ref-updates/intents.ts';
import { forgetSomeCreated } from './store.ts';

/**
 * Removes a user, in whose own namespace nothing is any more, and all that names it: what families keep of it moves to the
 * ghost, or with `hard` goes too (contract/conventions.md §10 "Internal users").
 */
export async function removeUser(
  uow: UnitOfWork,
  { userId, hard }: { readonly userId: number; readonly hard: boolean },
): Promise<void> {
  await uow.publish('user-deleted', { userId, ghostUserId: await ghostId(uow), hard });
  await endMembershipsOf(uow, userId);
  await forgetAuthorActivity(uow, userId);
  await forgetIntentUser(uow, userId);
  while ((await forgetSomeCreated(uow, userId, PIECE)) === PIECE);
  await deletePersonalNamespace(uow, userId);
  await deleteUserRow(uow, userId);
}
