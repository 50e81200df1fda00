import { family } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';
import { forgetLeavers } from './on-membership-ended.ts';

export { importRule, removeRules } from './import.ts';
export { protectBranchNamed, unprotectBranchNamed } from './protect-branch.ts';

export const protectedBranches = family({ endpoints, subscriptions: [forgetLeavers] });
