import type { SourceType } from '#database/tables/domain.ts';
import { tokenBotsOf } from '#domain/members/token-bots.ts';
import { type AnySubscription, subscription } from '#events/event-bus.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { removeUser } from '../user-deletion/index.ts';

/** Bots go with their project or group, and take their membership and their tokens along. */

export const removeProjectBots = subscription({
  event: 'project-destroyed',
  inTransaction: (uow, { projectId }) => removeBots(uow, { type: 'project', id: projectId }),
}) satisfies AnySubscription<object>;

export const removeGroupBots = subscription({
  event: 'group-destroyed',
  inTransaction: (uow, { groupId }) => removeBots(uow, { type: 'group', id: groupId }),
}) satisfies AnySubscription<object>;

async function removeBots(uow: UnitOfWork, source: { readonly type: SourceType; readonly id: number }): Promise<void> {
  for (const { user_id: userId } of await tokenBotsOf(uow, source).execute()) {
    await removeUser(uow, { userId, hard: false });
  }
}
