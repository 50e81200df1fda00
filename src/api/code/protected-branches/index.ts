import { family } from '../../../http/endpoint/family.ts';
import * as endpoints from './endpoints.ts';
import { forgetLeavers } from './forget-leavers.ts';

export { importRule, removeRules } from './import.ts';
export { protectBranchNamed, unprotectBranchNamed } from './set-rule.ts';

export const protectedBranches = family({ endpoints, subscriptions: [forgetLeavers] });
