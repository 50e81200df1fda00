import { endMembershipsOf } from '../../../access/memberships.ts';
import { deletePersonalNamespace } from '../../../access/namespaces.ts';
import type { Act } from '../../../facts/act.ts';
import { PIECE } from '../../../facts/pieces.ts';
import { forgetAuthorActivity } from '../../../history/index.ts';
import { deleteUserRow, ghostId } from '../../../identity/deletion.ts';
import { forgetIntentUser } from '../../../repositories/intents.ts';
import { forgetSomeCreated } from './store.ts';

/**
 * Removes a user, in whose own namespace nothing is any more, and all that names it: what families keep of it moves to the
 * ghost, or with `hard` goes too (contract/conventions.md §10 "Internal users").
 */
export async function removeUser(
  act: Act,
  { userId, hard }: { readonly userId: number; readonly hard: boolean },
): Promise<void> {
  await act.publish('user-deleted', { userId, ghostUserId: await ghostId(act), hard });
  await endMembershipsOf(act, userId);
  await forgetAuthorActivity(act, userId);
  await forgetIntentUser(act, userId);
  while ((await forgetSomeCreated(act, userId, PIECE)) === PIECE);
  await deletePersonalNamespace(act, userId);
  await deleteUserRow(act, userId);
}
