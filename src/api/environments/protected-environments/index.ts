import { family } from '../../../http/endpoint/family.ts';
import * as endpoints from './endpoints.ts';
import { forgetLeavers } from './forget-leavers.ts';

// What other families may use of protected environments.
export { EnvironmentApprovalRule } from './entities.ts';

export const protectedEnvironments = family({ endpoints, subscriptions: [forgetLeavers] });
