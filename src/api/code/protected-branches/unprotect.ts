import { admits } from '../../../access/branches.ts';
import type { Project } from '../../../access/projects.ts';
import type { StoredRule } from '../../../access/protected-branches.ts';
import type { Act } from '../../../facts/act.ts';
import { type Refused, refused } from '../../../refused.ts';
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
  await act.record({
    name: 'protected_branch_removed',
    entity: { type: 'Project', id: project.id, path: project.full_path },
    target: { type: 'ProtectedBranch', id: rule.id, details: rule.name },
    message: 'Unprotected branch',
  });
}
