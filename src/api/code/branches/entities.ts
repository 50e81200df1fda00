import { type Static, Type } from 'typebox';
import { mayPush, type ProtectionRule, rulesFor } from '../../../access/branches.ts';
import type { Project } from '../../../access/projects.ts';
import { DEVELOPER } from '../../../access/roles.ts';
import type { Commit as GitCommit } from '../../../git/objects.ts';
import { shape } from '../../../http/endpoint/answers.ts';
import type { Caller } from '../../../identity/caller.ts';
import { commitSchema as Commit, commitEntity } from '../commits/index.ts';

export const Branch = shape('Branch', {
  name: Type.String(),
  commit: Commit,
  merged: Type.Boolean(),
  protected: Type.Boolean(),
  developers_can_push: Type.Boolean(),
  developers_can_merge: Type.Boolean(),
  can_push: Type.Boolean(),
  default: Type.Boolean(),
  web_url: Type.String(),
});

/** A branch as git knows it at this moment. */
export interface BranchState {
  readonly name: string;
  readonly commit: GitCommit;
  /** Its tip is an ancestor of the default branch's tip and not that tip itself. */
  readonly merged: boolean;
}

export interface BranchContext {
  readonly project: Project;
  readonly caller: Caller;
  readonly rules: readonly ProtectionRule[];
  readonly projectUrl: string;
}

export function branchEntities(branches: readonly BranchState[], context: BranchContext): Static<typeof Branch>[] {
  const { project, caller, rules, projectUrl } = context;
  return branches.map(({ name, commit, merged }) => {
    const matching = rulesFor(rules, name);
    const developers = (kind: 'push' | 'merge') =>
      matching.some((rule) => rule[kind].some((entry) => entry.access_level === DEVELOPER && entry.user_id === null));
    const shown = name.toWellFormed();
    return {
      name: shown,
      commit: commitEntity(commit, { projectUrl }),
      merged,
      protected: matching.length > 0,
      developers_can_push: developers('push'),
      developers_can_merge: developers('merge'),
      can_push: mayPush(caller, project, rules, name),
      default: name === project.default_branch,
      web_url: `${projectUrl}/-/tree/${shown}`,
    };
  });
}
