import { loadBranchAccessDescriber } from '#authorization/access-level-descriptions.ts';
import type { RuleKind } from '#authorization/protected-branches/branch-rules.ts';
import type { ProtectionRuleRow } from '#authorization/protected-branches/protected-branches.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { formatQuotedList } from '#text/json-object.ts';

/** Records an audit event for a created or deleted protection rule (contract/activity.md Part 3). */
export async function recordProtectionRule(
  uow: UnitOfWork,
  name: 'protected_branch_created' | 'protected_branch_removed',
  project: { readonly id: number; readonly full_path: string },
  rule: ProtectionRuleRow,
): Promise<void> {
  const describe = await loadBranchAccessDescriber(uow, [rule]);
  const describeEntries = (kind: RuleKind) => rule[kind].map((entry) => describe(entry));
  const [push_access_levels, merge_access_levels] = [describeEntries('push'), describeEntries('merge')];
  const { allow_force_push, code_owner_approval_required } = rule;
  const addedText = `Added protected branch with [allowed to push: ${formatQuotedList(push_access_levels)}, allowed to merge: ${formatQuotedList(merge_access_levels)}, allow force push: ${allow_force_push}, code owner approval required: ${code_owner_approval_required}]`;
  await uow.record({
    name,
    entity: { type: 'Project', id: project.id, path: project.full_path },
    target: { type: 'ProtectedBranch', id: rule.id, details: rule.name },
    message: name === 'protected_branch_created' ? addedText : 'Unprotected branch',
    details: { push_access_levels, merge_access_levels, allow_force_push, code_owner_approval_required },
  });
}
