import type { SourceType } from '#database/schema.ts';
import { selectTokenBotIds } from '#domain/members/token-bots.ts';
import { type AnySubscription, defineSubscription } from '#events/event-bus.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { deleteUserWithReferences } from '../user-deletion/index.ts';

/** Bots are deleted with their project or group, together with their membership and tokens. */

export const deleteBotsOfProject = defineSubscription({
  event: 'project-destroyed',
  inTransaction: (uow, { projectId }) => deleteBots(uow, { type: 'project', id: projectId }),
}) satisfies AnySubscription<object>;

export const deleteBotsOfGroup = defineSubscription({
  event: 'group-destroyed',
  inTransaction: (uow, { groupId }) => deleteBots(uow, { type: 'group', id: groupId }),
}) satisfies AnySubscription<object>;

async function deleteBots(uow: UnitOfWork, source: { readonly type: SourceType; readonly id: number }): Promise<void> {
  for (const { user_id: userId } of await selectTokenBotIds(uow, source).execute()) {
    await deleteUserWithReferences(uow, { userId, hard: false });
  }
}
