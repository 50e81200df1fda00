import { mayInProject } from '../access/abilities.ts';
import { type DefaultProtection, mayPush, mayPushFirst } from '../access/branches.ts';
import type { Project } from '../access/projects.ts';
import { protectionRules } from '../access/protected-branches.ts';
import type { Reader } from '../database/database.ts';
import type { Caller } from '../identity/caller.ts';
import { readSettings } from '../settings/settings.ts';

/** May the caller commit to this branch, existing or not, by the rules of its project? */
export async function mayCommitTo(db: Reader, caller: Caller, project: Project, branch: string): Promise<boolean> {
  if (!mayInProject(caller, 'push_code', project)) return false;
  const rules = await protectionRules(db, project.id);
  if (!project.empty) return mayPush(caller, project, rules, branch);
  const { default_branch_protection } = await readSettings(db);
  return mayPushFirst(caller, project, rules, branch, default_branch_protection as DefaultProtection);
}
