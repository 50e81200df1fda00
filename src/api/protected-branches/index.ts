export { setRuleOfBranch } from './set-rule.ts';
