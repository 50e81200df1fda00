import { admits } from '../../../access/branches.ts';
import type { StoredRule } from '../../../access/protected-branches.ts';
import type { Config } from '../../../config.ts';
import type { Database } from '../../../database/database.ts';
import { recordAudit } from '../../../history/index.ts';
import { type Refused, refused } from '../../../refused.ts';
import type { Protecting } from './create.ts';
import { deleteRule } from './store.ts';

/** Removes a rule, by a Maintainer whom its unprotect entries admit (none: any Maintainer). */
export async function unprotect(
  { database, config }: { readonly database: Database; readonly config: Config },
  { project, caller }: Protecting,
  rule: StoredRule,
): Promise<undefined | Refused<'notAdmitted' | 'gone'>> {
  const allowed = rule.unprotect.length === 0 || rule.unprotect.some((entry) => admits(entry, caller, project));
  if (!allowed) return refused('notAdmitted');
  return database.transaction(async (tx) => {
    if (!(await deleteRule(tx, rule.id))) return refused('gone');
    await recordAudit(tx, caller, {
      name: 'protected_branch_removed',
      entity: { type: 'Project', id: project.id, path: project.full_path, tier: config.tier },
      target: { type: 'ProtectedBranch', id: rule.id, details: rule.name },
      message: 'Unprotected branch',
    });
  });
}
