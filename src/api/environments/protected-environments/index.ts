import { family } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';
import { forgetLeavers } from './on-membership-ended.ts';

// What other families may use of protected environments.
export { EnvironmentApprovalRule } from './entities.ts';

export const protectedEnvironments = family({ endpoints, subscriptions: [forgetLeavers] });
