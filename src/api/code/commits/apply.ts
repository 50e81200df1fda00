import { writeCommit } from '../../../git/commit.ts';
import { cherryPick, revert } from '../../../git/merge.ts';
import { HEADS } from '../../../git/names.ts';
import { type Commit, readCommit } from '../../../git/objects.ts';
import { branchTip } from '../../../git/revision.ts';
import type { CallerUser } from '../../../identity/caller.ts';
import { isRefused, type Refused, refused } from '../../../refused.ts';
import { moveRefs } from '../../../repositories/move-refs.ts';
import type { OpenBranchQuestion } from '../../../repositories/push-permission.ts';
import { toCommit } from '../../../repositories/ref-rights.ts';
import { repositoryOf } from '../../../repositories/repository.ts';
import type { RefRooms } from '../../../repositories/rooms.ts';
import type { CommitRow } from './entities.ts';

/** A commit's change, made again (`cherryPick`) or taken back (`revert`) on top of a branch. */
export type Way = 'cherryPick' | 'revert';

type ApplyRefusal = 'notAllowed' | 'readOnly' | 'branchUnknown' | 'conflict' | 'empty' | 'moved';

export interface Application {
  readonly commit: Commit;
  readonly openBranch: OpenBranchQuestion;
  readonly params: {
    readonly branch: string;
    /** In place of the usual text. */
    readonly message?: string | null | undefined;
    /** Only find out whether it would work. */
    readonly dry_run: boolean;
  };
}

/** The new tip of the branch; nothing when it was only to be found out whether there could be one. */
export async function applyCommit(
  way: Way,
  { commit, openBranch, params }: Application,
  rooms: RefRooms,
): Promise<CommitRow | undefined | Refused<ApplyRefusal>> {
  const { git } = rooms;
  const branch = await openBranch(params.branch);
  if (isRefused(branch)) return branch;
  const { project, name, caller } = branch;
  if (project.read_only) return refused('readOnly');
  const repository = repositoryOf(git, project);
  const tip = await branchTip(repository, name);
  if (tip === null) return refused('branchUnknown');
  const apply = way === 'revert' ? revert : cherryPick;
  const applied = await apply(git, repository, { commit: commit.id, onto: tip });
  if ('empty' in applied) return refused('empty');
  if ('conflict' in applied) return refused('conflict');
  if (params.dry_run) return undefined;
  const message = params.message?.trim() ? params.message : usualMessage(way, commit);
  const id = await writeCommit(git, repository, {
    tree: applied.tree,
    parents: [tip],
    ...signers(way, commit, caller.user),
    message,
  });
  const change = { ref: HEADS + name, oldId: tip, newId: id };
  const refusal = await moveRefs(rooms, {
    project,
    by: { caller, may: toCommit({ branch: name }) },
    changes: [change],
  });
  if (refusal?.code === 'readOnly' || refusal?.code === 'notAllowed') return refused(refusal.code);
  if (refusal !== undefined) return refused('moved', { branch: name });
  return { commit: (await readCommit(git, repository, id))!, project };
}

/** Who made the change stays its author when it is made again; whoever takes it back is the author of that. */
function signers(way: Way, commit: Commit, { name, email }: CallerUser) {
  const me = { name, email };
  return { author: way === 'revert' ? me : authorOf(commit), committer: me };
}

function usualMessage(way: Way, { id, title, message }: Commit): string {
  if (way === 'revert') return `Revert "${title}"\n\nThis reverts commit ${id}`;
  return `${message.trimEnd()}\n\n(cherry picked from commit ${id})`;
}

function authorOf({ author }: Commit) {
  const { name, email, seconds, date } = author;
  return { name, email, at: { seconds, offset: date.slice(-6).replace(':', '') } };
}
