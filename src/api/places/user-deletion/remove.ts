import { endMembershipsOf } from '../../../access/memberships.ts';
import { deletePersonalNamespace } from '../../../access/namespaces.ts';
import type { Transaction } from '../../../database/database.ts';
import type { FactBus } from '../../../facts/facts.ts';
import { forgetAuthorActivity } from '../../../history/index.ts';
import { deleteUserRow, ghostId } from '../../../identity/deletion.ts';
import { forgetIntentUser } from '../../../repositories/intents.ts';
import { forgetCreator } from './store.ts';

/**
 * Removes a user, in whose own namespace nothing is any more, and all that names it: what families keep of it moves to the
 * ghost, or with `hard` goes too (contract/conventions.md §10 "Internal users").
 */
export async function removeUser(
  tx: Transaction,
  facts: FactBus,
  { userId, hard }: { readonly userId: number; readonly hard: boolean },
): Promise<void> {
  await facts.publish(tx, 'user-deleted', { userId, ghostUserId: await ghostId(tx), hard });
  await endMembershipsOf(tx, facts, userId);
  await forgetAuthorActivity(tx, userId);
  await forgetIntentUser(tx, userId);
  await forgetCreator(tx, userId);
  await deletePersonalNamespace(tx, userId);
  await deleteUserRow(tx, userId);
}
