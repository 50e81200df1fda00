import { admits } from '#authorization/protected-branches/branch-rules.ts';
import type { StoredRule } from '#authorization/protected-branches/protected-branches.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { recordRule } from '#repositories/branches/protection-activity.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { deleteRule } from './store.ts';

/**
 * Do the unprotect entries of a rule admit this Maintainer (none: any)? Whom they don't admit neither removes the rule nor
 * changes it, for by changing it he would let himself in. On tier free, which shows none of them, they admit everybody.
 */
export function mayUnprotect(
  { actor: by, tier }: Pick<UnitOfWork, 'actor' | 'tier'>,
  project: Project,
  rule: StoredRule,
): boolean {
  if (tier === 'free') return true;
  return rule.unprotect.length === 0 || rule.unprotect.some((entry) => admits(entry, by, project));
}

/** Removes a rule. */
export async function unprotect(
  uow: UnitOfWork,
  project: Project,
  rule: StoredRule,
): Promise<undefined | Failure<'notAdmitted' | 'gone'>> {
  if (!mayUnprotect(uow, project, rule)) return fail('notAdmitted');
  if (!(await deleteRule(uow, rule.id))) return fail('gone');
  await recordRule(uow, 'protected_branch_removed', project, rule);
}
