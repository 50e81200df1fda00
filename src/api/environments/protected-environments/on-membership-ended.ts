import { type AnySubscription, subscription } from '#events/event-bus.ts';
import { removeUser } from './store.ts';

/**
 * Whoever is no direct member of a project any more goes from its protections, as the last element too
 * (contract/environments.md Part 3).
 */
export const forgetLeavers = subscription({
  event: 'membership-ended',
  inTransaction: async (uow, { userId, sourceType, sourceId }) => {
    if (sourceType === 'project') await removeUser(uow, sourceId, userId);
  },
}) satisfies AnySubscription<object>;
