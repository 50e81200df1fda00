import { type AnySubscription, defineSubscription } from '#events/event-bus.ts';
import { findMemberIds } from '../protected-branches/index.ts';
import { deleteEntry, listEntriesOfUser } from './store.ts';

/** Deletes the entries of a user who is no longer a member of a project. Joining again does not restore them. */
export const deleteEntriesOfFormerMember = defineSubscription({
  event: 'membership-ended',
  inTransaction: async (uow, { userId }) => {
    for (const { entry_id, ...project } of await listEntriesOfUser(uow, userId)) {
      const memberIds = await findMemberIds(uow, project, [userId]);
      if (!memberIds.has(userId)) await deleteEntry(uow, entry_id);
    }
  },
}) satisfies AnySubscription<object>;
