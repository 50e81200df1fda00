import { mayInProject } from '../access/abilities.ts';
import { type DefaultProtection, mayPush, mayPushFirst } from '../access/branches.ts';
import type { Project } from '../access/projects.ts';
import { protectionRules } from '../access/protected-branches.ts';
import type { Reader } from '../database/database.ts';
import type { Caller, SignedIn } from '../identity/caller.ts';
import type { User } from '../identity/users.ts';
import { type Refused, refused } from '../refused.ts';
import { readSettings } from '../settings/settings.ts';

/** A branch, existing or not, with somebody who may push to it: what commits want, and what only the question gives. */
export interface OpenBranch {
  readonly [asked]: true;
  readonly project: Project;
  readonly name: string;
  readonly pusher: User;
}

declare const asked: unique symbol;

/** The right to push to the branch that a call names, for the access of its endpoint (`access.late`). */
export const PUSH_TO_BRANCH = {
  name: 'openBranch',
  label: 'push to branch',
  question:
    ({ db }: { readonly db: Reader }, { project, caller }: { readonly project: Project; readonly caller: SignedIn }) =>
    async (name: string): Promise<OpenBranch | Refused<'notAllowed'>> =>
      (await mayCommitTo(db, caller, project, name))
        ? ({ project, name, pusher: caller.user } as OpenBranch)
        : refused('notAllowed'),
} as const;

/** How an endpoint with this right hands it on. */
export type OpenBranchQuestion = ReturnType<typeof PUSH_TO_BRANCH.question>;

/** May the caller commit to this branch, existing or not, by the rules of its project? */
export async function mayCommitTo(db: Reader, caller: Caller, project: Project, branch: string): Promise<boolean> {
  if (!mayInProject(caller, 'push_code', project)) return false;
  const rules = await protectionRules(db, project.id);
  if (!project.empty) return mayPush(caller, project, rules, branch);
  const { default_branch_protection } = await readSettings(db);
  return mayPushFirst(caller, project, rules, branch, default_branch_protection as DefaultProtection);
}
