import { tokenBotsOf } from '../../../access/token-bots.ts';
import type { Transaction } from '../../../database/database.ts';
import type { SourceType } from '../../../database/tables/access.ts';
import { type AnySubscription, type FactBus, subscription } from '../../../facts/facts.ts';
import { removeUser } from '../user-deletion/index.ts';

/** Bots go with their project or group, and take their membership and their tokens along. */

export const removeProjectBots = subscription({
  fact: 'project-destroyed',
  inTransaction: (tx, { projectId }, facts) => removeBots(tx, facts, { type: 'project', id: projectId }),
}) satisfies AnySubscription<object>;

export const removeGroupBots = subscription({
  fact: 'group-destroyed',
  inTransaction: (tx, { groupId }, facts) => removeBots(tx, facts, { type: 'group', id: groupId }),
}) satisfies AnySubscription<object>;

async function removeBots(
  tx: Transaction,
  facts: FactBus,
  source: { readonly type: SourceType; readonly id: number },
): Promise<void> {
  for (const { user_id: userId } of await tokenBotsOf(tx, source).execute()) {
    await removeUser(tx, facts, { userId, hard: false });
  }
}
