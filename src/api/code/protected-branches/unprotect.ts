import { admits } from '../../../access/branches.ts';
import type { Project } from '../../../access/projects.ts';
import type { StoredRule } from '../../../access/protected-branches.ts';
import type { Act } from '../../../facts/act.ts';
import { type Refused, refused } from '../../../refused.ts';
import { recordRule } from '../../../repositories/rule-history.ts';
import { deleteRule } from './store.ts';

/** Removes a rule, by a Maintainer whom its unprotect entries admit (none: any Maintainer). */
export async function unprotect(
  act: Act,
  project: Project,
  rule: StoredRule,
): Promise<undefined | Refused<'notAdmitted' | 'gone'>> {
  const allowed = rule.unprotect.length === 0 || rule.unprotect.some((entry) => admits(entry, act.by, project));
  if (!allowed) return refused('notAdmitted');
  if (!(await deleteRule(act, rule.id))) return refused('gone');
  await recordRule(act, 'protected_branch_removed', project, rule);
}
