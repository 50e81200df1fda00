import type { Project } from '../../../access/projects.ts';
import { writeCommit } from '../../../git/commit.ts';
import { cherryPick, revert } from '../../../git/merge.ts';
import { type Commit, readCommit } from '../../../git/objects.ts';
import { branchTip } from '../../../git/revision.ts';
import type { SignedIn } from '../../../identity/caller.ts';
import { isRefused, type Refused, refused } from '../../../refused.ts';
import { moveRefs } from '../../../repositories/move-refs.ts';
import { mayCommitTo } from '../../../repositories/push-permission.ts';
import { repositoryOf } from '../../../repositories/repository.ts';
import type { SettlingRooms } from '../../../repositories/settle.ts';
import type { CommitRow } from './entities.ts';

/** A commit's change, made again (`cherryPick`) or taken back (`revert`) on top of a branch. */
export type Way = 'cherryPick' | 'revert';

export type ApplyRefusal = 'notAllowed' | 'readOnly' | 'branchUnknown' | 'conflict' | 'empty' | 'moved';

export interface Application {
  readonly project: Project;
  readonly caller: SignedIn;
  readonly commit: Commit;
  readonly branch: string;
  /** In place of the usual text. */
  readonly message: string | null | undefined;
  /** Only find out whether it would work. */
  readonly dryRun: boolean;
}

/** The new tip of the branch, unless it was only to be found out whether it would work. */
export async function applyCommit(
  rooms: SettlingRooms,
  way: Way,
  application: Application,
): Promise<CommitRow | { readonly dry_run: 'success' } | Refused<ApplyRefusal>> {
  const { project, caller, commit, branch, dryRun } = application;
  if (!(await mayCommitTo(rooms.database.reader, caller, project, branch))) return refused('notAllowed');
  if (project.read_only) return refused('readOnly');
  const repository = repositoryOf(rooms.git, project);
  const tip = await branchTip(repository, branch);
  if (tip === null) return refused('branchUnknown');
  const apply = way === 'revert' ? revert : cherryPick;
  const applied = await apply(rooms.git, repository, { commit: commit.id, onto: tip });
  if ('empty' in applied) return refused('empty');
  if ('conflict' in applied) return refused('conflict');
  if (dryRun) return { dry_run: 'success' };
  const id = await writeCommit(rooms.git, repository, {
    tree: applied.tree,
    parents: [tip],
    ...texts(way, application),
  });
  const change = { ref: `refs/heads/${branch}`, oldId: tip, newId: id };
  const moved = await moveRefs(rooms, { project, userId: caller.user.id, changes: [change] });
  if (isRefused(moved)) return moved.code === 'readOnly' ? refused('readOnly') : refused('moved', { branch });
  return { commit: (await readCommit(rooms.git, repository, id))!, project };
}

/** Who made the change stays its author when it is made again; whoever takes it back is the author of that. */
function texts(way: Way, { caller, commit, message }: Application) {
  const me = { name: caller.user.name, email: caller.user.email };
  const text = message?.trim() ? message : usualMessage(way, commit);
  return { author: way === 'revert' ? me : authorOf(commit), committer: me, message: text };
}

function usualMessage(way: Way, { id, title, message }: Commit): string {
  if (way === 'revert') return `Revert "${title}"\n\nThis reverts commit ${id}`;
  return `${message.trimEnd()}\n\n(cherry picked from commit ${id})`;
}

function authorOf({ author }: Commit) {
  const { name, email, seconds, date } = author;
  return { name, email, at: { seconds, offset: date.slice(-6).replace(':', '') } };
}
