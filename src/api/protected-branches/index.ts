export { forgetLeavers } from './forget-leavers.ts';
export { setRuleOfBranch } from './set-rule.ts';
