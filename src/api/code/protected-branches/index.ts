import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';
import { onMembershipEnded } from './on-membership-ended.ts';

export { CREATE_RULE_ERRORS } from './create.ts';
export { deleteRules, importRule } from './import.ts';
export { protectBranchByName, unprotectBranchByName } from './protect-branch.ts';

export { findMemberIds } from './store.ts';

export const protectedBranches = resourceModule({ endpoints, subscriptions: [onMembershipEnded] });
