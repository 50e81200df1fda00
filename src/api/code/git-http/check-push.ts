import {
  type DefaultProtection,
  mayDeleteProtected,
  mayForcePush,
  mayMerge,
  mayPush,
  mayPushFirst,
  rulesFor,
} from '../../../access/branches.ts';
import type { Project } from '../../../access/projects.ts';
import { protectionRules, type StoredRule } from '../../../access/protected-branches.ts';
import { isAncestor } from '../../../git/ancestry.ts';
import { HEADS, TAGS } from '../../../git/names.ts';
import { newLfsPointers } from '../../../git/new-lfs-pointers.ts';
import type { Push } from '../../../git/receive.ts';
import { beginsWithSha, looksLikeObjectId, validBranchName, validTagName, zeroId } from '../../../git/refs.ts';
import type { RefChange } from '../../../git/update-refs.ts';
import type { SignedIn } from '../../../identity/caller.ts';
import { isLfsOn, unlinkedOids } from '../../../repositories/lfs-objects.ts';
import { repositoryOf } from '../../../repositories/repository.ts';
import type { RefRooms } from '../../../repositories/rooms.ts';
import { readSettings } from '../../../settings/settings.ts';

/** The checks of a push, before any ref moves (contract/repository.md §5 "Per-ref checks"). */

type PushRooms = Pick<RefRooms, 'database' | 'git'>;

interface Checking {
  readonly rooms: PushRooms;
  readonly project: Project;
  readonly caller: SignedIn;
  readonly rules: readonly StoredRule[];
  readonly protection: DefaultProtection;
  readonly push: Push;
}

/** What the client is told, or null: one refusal refuses the whole push. */
export async function checkPush(
  rooms: PushRooms,
  project: Project,
  caller: SignedIn,
  push: Push,
): Promise<string | null> {
  const rules = await protectionRules(rooms.database.reader, project.id);
  const { default_branch_protection } = await readSettings(rooms.database.reader);
  const protection = default_branch_protection as DefaultProtection;
  const checking: Checking = { rooms, project, caller, rules, protection, push };
  for (const change of push.changes) {
    const refusal = await checkChange(checking, change);
    if (refusal !== null) return refusal;
  }
  return checkLfs(checking);
}

function checkChange(checking: Checking, change: RefChange): Promise<string | null> | string | null {
  const { ref } = change;
  if (ref.startsWith(HEADS)) return checkBranch(checking, ref.slice(HEADS.length), change);
  if (ref.startsWith(TAGS)) return checkTag(checking.project, ref.slice(TAGS.length), change);
  return 'You can only push branches and tags.';
}

function checkTag(project: Project, name: string, { oldId, newId }: RefChange): string | null {
  if (oldId !== zeroId || newId === zeroId) return null;
  if (!validTagName(name)) return 'Tag name invalid';
  if (looksLikeObjectId(name)) return 'You cannot create a tag with a SHA-1 or SHA-256 tag name.';
  return name === project.default_branch ? 'You cannot use default branch name to create a tag' : null;
}

async function checkBranch(checking: Checking, name: string, change: RefChange): Promise<string | null> {
  const { project, rules } = checking;
  const matched = rulesFor(rules, name).length > 0;
  if (change.newId === zeroId) return checkDeletion(checking, name, matched);
  if (change.oldId === zeroId) return checkCreation(checking, name, matched);
  if (!mayPush(checking.caller, project, rules, name)) {
    return 'You are not allowed to push code to protected branches on this project.';
  }
  if (matched && !mayForcePush(rules, name) && (await isForced(checking, change))) {
    return 'You are not allowed to force push code to a protected branch on this project.';
  }
  return null;
}

/** Over HTTP nobody deletes a protected branch: a Maintainer does it elsewhere, others not at all. */
function checkDeletion({ project, caller }: Checking, name: string, matched: boolean): string | null {
  if (name === project.default_branch) return 'The default branch of a project cannot be deleted.';
  if (!matched) return null;
  return mayDeleteProtected(caller, project)
    ? 'You can only delete protected branches using the web interface.'
    : 'You are not allowed to delete protected branches from this project. Only a project maintainer or owner can delete a protected branch.';
}

function checkCreation(
  { project, caller, rules, protection }: Checking,
  name: string,
  matched: boolean,
): string | null {
  if (beginsWithSha(name)) return 'You cannot create a branch with a SHA-1 or SHA-256 branch name.';
  if (!validBranchName(name)) return 'Branch name is invalid';
  if (project.empty) {
    const allowed = mayPushFirst(caller, project, rules, name, protection);
    return allowed ? null : 'You are not allowed to push code to protected branches on this project.';
  }
  const allowed = mayPush(caller, project, rules, name) || (matched && mayMerge(caller, project, rules, name));
  return allowed ? null : 'You are not allowed to create protected branches on this project.';
}

async function isForced({ rooms, project, push }: Checking, { oldId, newId }: RefChange): Promise<boolean> {
  return !(await isAncestor(rooms.git, repositoryOf(rooms.git, project), oldId, newId, push.quarantine));
}

/** New LFS pointers must name objects that this project has. */
async function checkLfs({ rooms, project, push }: Checking): Promise<string | null> {
  const tips = push.changes.map(({ newId }) => newId).filter((id) => id !== zeroId);
  if (tips.length === 0 || !(await isLfsOn(rooms.database.reader, project))) return null;
  const pointed = new Set<string>();
  for await (const { oid } of newLfsPointers(rooms.git, repositoryOf(rooms.git, project), tips, push.quarantine))
    pointed.add(oid);
  const missing = await unlinkedOids(rooms.database.reader, project.id, [...pointed]);
  return missing.length === 0
    ? null
    : 'LFS objects are missing. Ensure LFS is properly set up or try a manual "git lfs push --all".';
}
