import type { Static } from 'typebox';
import type { Project } from '../../../access/projects.ts';
import { protectionRules } from '../../../access/protected-branches.ts';
import type { Reader } from '../../../database/database.ts';
import type { Git } from '../../../git/git.ts';
import { readCommit } from '../../../git/objects.ts';
import type { Caller } from '../../../identity/caller.ts';
import { projectUrl, repositoryOf } from '../../../repositories/repository.ts';
import { type Branch, type BranchState, branchEntities } from './entities.ts';
import { withMerged } from './list.ts';

export interface Showing {
  readonly git: Git;
  readonly db: Reader;
  readonly project: Project;
  readonly caller: Caller;
  readonly request: { readonly baseUrl: string };
}

/** One branch as the API shows it: its state, or what it is with this tip. */
export async function showBranch(
  showing: Showing,
  branch: BranchState | { readonly name: string; readonly tip: string },
): Promise<Static<typeof Branch>> {
  const { db, project, caller, request } = showing;
  const state = 'tip' in branch ? await stateAt(showing, branch.name, branch.tip) : branch;
  const rules = await protectionRules(db, project.id);
  const [shown] = branchEntities([state], { project, caller, rules, projectUrl: projectUrl(request, project) });
  return shown!;
}

async function stateAt({ git, project }: Showing, name: string, tip: string): Promise<BranchState> {
  const commit = await readCommit(git, repositoryOf(git, project), tip);
  if (commit === null) throw new Error(`The tip of the branch ${name} is no commit: ${tip}`);
  return (await withMerged(git, project, [{ name, commit }]))[0]!;
}
