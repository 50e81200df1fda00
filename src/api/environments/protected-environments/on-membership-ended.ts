import { type AnySubscription, subscription } from '#events/event-bus.ts';
import { removeUserFromProtections } from './store.ts';

/**
 * When a direct membership of a project ends: removes the user from its protections, even as the last element
 * (contract/environments.md Part 3).
 */
export const onMembershipEnded = subscription({
  event: 'membership-ended',
  inTransaction: async (uow, { userId, sourceType, sourceId }) => {
    if (sourceType === 'project') await removeUserFromProtections(uow, sourceId, userId);
  },
}) satisfies AnySubscription<object>;
