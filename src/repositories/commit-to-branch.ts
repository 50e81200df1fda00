import { mayForcePush } from '../access/branches.ts';
import { protectionRules } from '../access/protected-branches.ts';
import { isAncestor } from '../git/ancestry.ts';
import { type CommitRequest, commitChanges } from '../git/commit.ts';
import { beginsWithSha, validBranchName, zeroId } from '../git/refs.ts';
import { branchTip } from '../git/revision.ts';
import { isRefused, type Refused, refused } from '../refused.ts';
import { inBranchTurn } from './branch-turns.ts';
import { ensureProjectRepository, type MovingProject, moveRefs } from './move-refs.ts';
import { repositoryOf } from './repository.ts';
import type { SettlingRooms } from './settle.ts';

/** A commit on a branch that the caller may push to: the parent is picked, the objects written, the ref moved. */

export interface BranchCommit extends Omit<CommitRequest, 'parent'> {
  readonly project: MovingProject & { readonly empty: boolean };
  readonly userId: number;
  readonly branch: string;
  /** The new branch begins at the tip of this one. */
  readonly startBranch?: string | undefined;
  /** The new branch begins at this commit; with `force` an existing one does. */
  readonly startSha?: string | undefined;
  readonly force?: boolean | undefined;
  /** Looked at with the parent's id, before anything is written: what it refuses is refused. */
  readonly check?: (parent: string | null) => Promise<Refused<'stale' | 'fileStale' | 'lfsMissing'> | null>;
}

export type CommitToBranchRefusal =
  | 'readOnly'
  | 'notOnBranch'
  | 'branchExists'
  | 'branchInvalid'
  | 'looksLikeSha'
  | 'forceNotAllowed'
  | 'stale'
  | 'fileStale'
  | 'lfsMissing'
  | 'fileExists'
  | 'fileMissing'
  | 'isDirectory'
  | 'pathInvalid'
  | 'empty'
  | 'moved';

/** Texts of the refusals, the same for files and commits (contract/repository.md §1). */
export const COMMIT_REFUSALS = {
  readOnly: [400, 'The repository is temporarily read-only. Please try again later.'],
  notOnBranch: [400, 'You can only create or edit files when you are on a branch'],
  branchExists: [400, "A branch called '{branch}' already exists. Switch to that branch in order to make changes"],
  branchInvalid: [400, "Something went wrong when we tried to create '{branch}' for you: Branch name is invalid"],
  looksLikeSha: [400, 'You cannot create a branch with a SHA-1 or SHA-256 branch name.'],
  forceNotAllowed: [400, 'You are not allowed to force push code to a protected branch on this project.'],
  stale: [400, 'You are attempting to update a file that has changed since you started editing it.'],
  fileStale: [400, 'The file has changed since you started editing it: {path}'],
  lfsMissing: [400, 'LFS objects are missing. Ensure LFS is properly set up or try a manual "git lfs push --all".'],
  fileExists: [400, 'A file with this name already exists'],
  fileMissing: [400, "A file with this name doesn't exist"],
  isDirectory: [400, 'A directory with this name already exists'],
  pathInvalid: [400, "invalid path: '{path}'"],
  empty: [400, 'The commit is empty: the file already has this content'],
  moved: [400, 'Could not update refs/heads/{branch}. Please refresh and try again.'],
} as const;

export function commitToBranch(
  rooms: SettlingRooms,
  commit: BranchCommit,
): Promise<{ commit: string } | Refused<CommitToBranchRefusal>> {
  const { id, empty } = commit.project;
  const turn = () => inBranchTurn(rooms.git, id, commit.branch, () => write(rooms, commit));
  // The first of an empty repository's branches decides what the others may be.
  return empty ? inBranchTurn(rooms.git, id, '', turn) : turn();
}

async function write(
  rooms: SettlingRooms,
  asked: BranchCommit,
): Promise<{ commit: string } | Refused<CommitToBranchRefusal>> {
  const { git } = rooms;
  const { project, branch } = asked;
  const repository = repositoryOf(git, project);
  const base = await baseOf(rooms, asked);
  if (isRefused(base)) return base;
  if (base.parent === null) await ensureProjectRepository(git, project);
  const refusal = (await asked.check?.(base.parent)) ?? null;
  if (refusal !== null) return refusal;
  const made = await commitChanges(git, repository, { ...asked, parent: base.parent });
  if ('refused' in made) return conflict(made);
  const change = { ref: `refs/heads/${branch}`, oldId: base.tip ?? zeroId, newId: made.commit };
  const moved = await moveRefs(rooms, { project, userId: asked.userId, changes: [change] });
  if (!isRefused(moved)) return { commit: made.commit };
  if (moved.code === 'readOnly') return refused('readOnly');
  return refused(moved.code === 'conflict' || moved.code === 'invalid-name' ? 'branchInvalid' : 'moved', { branch });
}

interface Base {
  /** Of the new commit; null: the repository's first. */
  readonly parent: string | null;
  /** Where the branch is now; null: it is made. */
  readonly tip: string | null;
}

async function baseOf(rooms: SettlingRooms, asked: BranchCommit): Promise<Base | Refused<CommitToBranchRefusal>> {
  const { project, branch, startBranch, startSha, force } = asked;
  const repository = repositoryOf(rooms.git, project);
  const tip = await branchTip(repository, branch);
  const elsewhere = startSha !== undefined || (startBranch !== undefined && startBranch !== branch);
  const parent = startSha ?? (elsewhere ? await branchTip(repository, startBranch as string) : tip);
  if (parent === null && !(await isStillEmpty(rooms, project))) return refused('notOnBranch');
  if (elsewhere && tip !== null && !force) return refused('branchExists', { branch });
  if (tip === null && !validBranchName(branch)) return refused('branchInvalid', { branch });
  if (tip === null && beginsWithSha(branch)) return refused('looksLikeSha');
  if (parent !== tip && tip !== null && !(await mayReset(rooms, asked, { from: tip, to: parent }))) {
    return refused('forceNotAllowed');
  }
  return { parent, tip };
}

/** The project as it was loaded may have got its first commit since, recorded or about to be. */
async function isStillEmpty({ database, git }: SettlingRooms, project: BranchCommit['project']): Promise<boolean> {
  if (!project.empty) return false;
  if ((await branchTip(repositoryOf(git, project), project.default_branch)) !== null) return false;
  const row = await database.reader
    .selectFrom('repositories')
    .select('empty')
    .where('project_id', '=', project.id)
    .executeTakeFirst();
  return row?.empty === true;
}

/** May the branch leave its history behind? It need not, where the new start is on top of it. */
async function mayReset(
  { database, git }: SettlingRooms,
  { project, branch }: BranchCommit,
  { from, to }: { readonly from: string; readonly to: string | null },
): Promise<boolean> {
  if (mayForcePush(await protectionRules(database.reader, project.id), branch)) return true;
  return to !== null && (await isAncestor(git, repositoryOf(git, project), from, to));
}

type Conflict = Exclude<Awaited<ReturnType<typeof commitChanges>>, { ok: true }>;

function conflict(made: Conflict): Refused<CommitToBranchRefusal> {
  switch (made.refused) {
    case 'exists':
    case 'parent-is-file':
      return refused('fileExists');
    case 'missing':
      return refused('fileMissing');
    case 'is-directory':
      return refused('isDirectory');
    case 'invalid-path':
      return refused('pathInvalid', { path: made.path });
    case 'missing-parent':
      return refused('notOnBranch');
    case 'empty':
      return refused('empty');
  }
}
