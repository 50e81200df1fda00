import { type AnySubscription, defineSubscription } from '#events/event-bus.ts';
import { resourceModule } from '#http/endpoint/resource-module.ts';
import { findMemberIds } from '../protected-branches/index.ts';
import * as endpoints from './endpoints.ts';
import { deleteEntry, listEntriesOfUser } from './store.ts';

/** Deletes the entries of a user who is no longer a member of a project. Joining again does not restore them. */
const deleteEntriesOfFormerMember = defineSubscription({
  event: 'membership-ended',
  inTransaction: async (uow, { userId }) => {
    for (const { entry_id, ...project } of await listEntriesOfUser(uow, userId)) {
      const memberIds = await findMemberIds(uow, project, [userId]);
      if (!memberIds.has(userId)) await deleteEntry(uow, entry_id);
    }
  },
}) satisfies AnySubscription<object>;

/** Rules that restrict who may create tags. */
export const protectedTags = resourceModule({ endpoints, subscriptions: [deleteEntriesOfFormerMember] });
