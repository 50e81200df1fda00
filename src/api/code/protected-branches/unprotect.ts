import { isAllowedByEntry } from '#authorization/protected-branches/branch-rules.ts';
import type { ProtectionRuleRow } from '#authorization/protected-branches/protected-branches.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { recordProtectionRule } from '#repositories/branches/protection-activity.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { deleteRule } from './store.ts';

/**
 * Returns whether the unprotect entries of a rule admit the actor; without entries any Maintainer is admitted. Others
 * may neither delete nor update the rule, since an update could admit them. Tier free hides these entries and ignores
 * them.
 */
export function mayUnprotect(
  { actor, tier }: Pick<UnitOfWork, 'actor' | 'tier'>,
  project: Project,
  rule: ProtectionRuleRow,
): boolean {
  if (tier === 'free') return true;
  return rule.unprotect.length === 0 || rule.unprotect.some((entry) => isAllowedByEntry(entry, actor, project));
}

/** Deletes a rule if its unprotect entries admit the actor. */
export async function deleteRuleIfAdmitted(
  uow: UnitOfWork,
  project: Project,
  rule: ProtectionRuleRow,
): Promise<undefined | Failure<'unprotectNotAllowed' | 'notFound'>> {
  if (!mayUnprotect(uow, project, rule)) return fail('unprotectNotAllowed');
  if (!(await deleteRule(uow, rule.id))) return fail('notFound');
  await recordProtectionRule(uow, 'protected_branch_removed', project, rule);
}
