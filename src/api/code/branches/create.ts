import { mayMerge, mayPush, rulesFor } from '../../../access/branches.ts';
import type { Project } from '../../../access/projects.ts';
import { protectionRules } from '../../../access/protected-branches.ts';
import { beginsWithSha, validBranchName, zeroId } from '../../../git/refs.ts';
import { branchTip, resolveRevision } from '../../../git/revision.ts';
import type { SignedIn } from '../../../identity/caller.ts';
import { isRefused, type Refused, refused } from '../../../refused.ts';
import { firstCommit } from '../../../repositories/first-commit.ts';
import { moveRefs } from '../../../repositories/move-refs.ts';
import { mayCommitTo } from '../../../repositories/push-permission.ts';
import { repositoryOf } from '../../../repositories/repository.ts';
import type { SettlingRooms } from '../../../repositories/settle.ts';

export type CreateRefusal =
  | 'nameInvalid'
  | 'looksLikeSha'
  | 'exists'
  | 'refUnknown'
  | 'hierarchy'
  | 'protectedName'
  | 'readOnly';

export interface NewBranch {
  readonly project: Project;
  readonly caller: SignedIn;
  readonly branch: string;
  readonly ref: string;
}

/** A branch at `ref`. In an empty repository the default branch is made first, with an empty README.md. */
export async function createBranchAt(
  rooms: SettlingRooms,
  request: NewBranch,
): Promise<{ name: string; tip: string } | Refused<CreateRefusal>> {
  const { project, caller, branch, ref } = request;
  if (project.read_only) return refused('readOnly');
  if (beginsWithSha(branch)) return refused('looksLikeSha');
  if (!validBranchName(branch)) return refused('nameInvalid');
  const repository = repositoryOf(rooms.git, project);
  if (project.empty) {
    const begun = await beginRepository(rooms, request);
    if (isRefused(begun)) return begun;
    const tip = branch === project.default_branch ? await branchTip(repository, branch) : null;
    if (tip !== null) return { name: branch, tip };
  }
  if ((await branchTip(repository, branch)) !== null) return refused('exists');
  const target = await resolveRevision(rooms.git, repository, ref);
  if (target === null) return refused('refUnknown', { branch, ref });
  if (!(await mayCreate(rooms, request))) return refused('protectedName');
  const change = { ref: `refs/heads/${branch}`, oldId: zeroId, newId: target };
  const moved = await moveRefs(rooms, { project, userId: caller.user.id, changes: [change] });
  return isRefused(moved) ? refused(reasonOf(moved.code), { branch, ref }) : { name: branch, tip: target };
}

async function mayCreate({ database }: SettlingRooms, { project, caller, branch }: NewBranch): Promise<boolean> {
  const rules = await protectionRules(database.reader, project.id);
  if (rulesFor(rules, branch).length === 0) return true;
  return mayPush(caller, project, rules, branch) || mayMerge(caller, project, rules, branch);
}

/** The default branch, with an empty README.md; all that would be refused after it is refused before. */
async function beginRepository(
  rooms: SettlingRooms,
  request: NewBranch,
): Promise<{ done: true } | Refused<CreateRefusal>> {
  const { project, caller, branch, ref } = request;
  const { default_branch: first } = project;
  const names = ['HEAD', first, `heads/${first}`, `refs/heads/${first}`];
  if (!names.includes(ref)) return refused('refUnknown', { branch, ref });
  if (branch.startsWith(`${first}/`) || first.startsWith(`${branch}/`)) return refused('hierarchy', { branch });
  const mayBegin = await mayCommitTo(rooms.database.reader, caller, project, first);
  if (!mayBegin || !(await mayCreate(rooms, request))) return refused('protectedName');
  const readme = { path: 'README.md', content: Buffer.alloc(0), message: 'Add README.md' };
  const begun = await firstCommit(rooms, { project, author: caller.user, ...readme });
  return isRefused(begun) ? refused('readOnly') : begun;
}

function reasonOf(code: string): CreateRefusal {
  if (code === 'conflict') return 'hierarchy';
  if (code === 'readOnly') return 'readOnly';
  return code === 'invalid-name' ? 'nameInvalid' : 'exists';
}
