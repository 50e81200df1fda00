import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';
import { onMembershipEnded } from './on-membership-ended.ts';

// Public interface for other resources.
export { EnvironmentApprovalRule } from './entities.ts';

export const protectedEnvironments = resourceModule({ endpoints, subscriptions: [onMembershipEnded] });
