import { type AnySubscription, defineSubscription } from '#events/event-bus.ts';
import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';
import { removeUserFromProtections } from './store.ts';

/**
 * Removes a user from the protections of a project when their direct membership ends, even if they are the last element
 * (contract/environments.md Part 3).
 */
const onMembershipEnded = defineSubscription({
  event: 'membership-ended',
  inTransaction: async (uow, { userId, sourceType, sourceId }) => {
    if (sourceType === 'project') await removeUserFromProtections(uow, sourceId, userId);
  },
}) satisfies AnySubscription<object>;

// Public interface for other resources.
export { EnvironmentApprovalRule } from './entities.ts';

export const protectedEnvironments = resourceModule({ endpoints, subscriptions: [onMembershipEnded] });
