import type { Reader } from '#database/database.ts';
import { type Params, prepare } from '#database/prepare.ts';
import type { EnvironmentProtection } from './protected-environments.ts';

/** Number of missing approvals of a deployment (contract/environments.md Part 4 "approval"). */

/** Returns whether deployments to an environment with these protections require approvals. */
export function needsApproval(protections: readonly EnvironmentProtection[]): boolean {
  return protections.some(
    ({ approval_rules, required_approval_count }) => approval_rules.length > 0 || required_approval_count > 0,
  );
}

// index: deployment_approvals_by_rule
const approvedByRule = prepare((db, value: Params<{ deployment: number }>) =>
  db
    .selectFrom('deployment_approvals')
    .select(['approval_rule_id', 'rule_key', ({ fn }) => fn.countAll<number>().as('approved')])
    .where('deployment_id', '=', value('deployment'))
    .where('status', '=', 'approved')
    .groupBy(['approval_rule_id', 'rule_key']),
);

/**
 * Returns `pending_approval_count`: the missing approvals of each rule or, without rules, of the largest required
 * count. Approvals of deleted rules do not count.
 */
export async function countPendingApprovals(
  db: Reader,
  protections: readonly EnvironmentProtection[],
  deploymentId: number,
): Promise<number> {
  if (!needsApproval(protections)) return 0;
  const rows = await approvedByRule(db, { deployment: deploymentId });
  const rules = protections.flatMap(({ approval_rules }) => approval_rules);
  if (rules.length > 0) {
    const approvedByRuleId = new Map(rows.map(({ approval_rule_id, approved }) => [approval_rule_id, approved]));
    return rules.reduce(
      (sum, { id, required_approvals }) => sum + countMissingApprovals(required_approvals, approvedByRuleId.get(id)),
      0,
    );
  }
  // Approvals without a rule have the rule key 0.
  const requiredCount = Math.max(...protections.map(({ required_approval_count }) => required_approval_count));
  return countMissingApprovals(requiredCount, rows.find(({ rule_key }) => rule_key === 0)?.approved);
}

const countMissingApprovals = (requiredCount: number, approved = 0) => Math.max(requiredCount - approved, 0);
