import { writeCommit } from '#git/commits/commit.ts';
import { cherryPick, revert } from '#git/commits/merge.ts';
import { type Commit, readCommit } from '#git/objects/object-reader.ts';
import { HEADS } from '#git/ref-names.ts';
import { branchTip } from '#git/refs/revision.ts';
import type { OpenBranchQuestion } from '#repositories/branches/push-permission.ts';
import { moveRefs } from '#repositories/ref-updates/move-refs.ts';
import { toCommit } from '#repositories/ref-updates/ref-permissions.ts';
import { repositoryOf } from '#repositories/repository.ts';
import type { RefServices } from '#repositories/services.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import type { CommitRow } from './entities.ts';

/** A commit's change, made again (`cherryPick`) or taken back (`revert`) on top of a branch. */
export type Way = 'cherryPick' | 'revert';

type CommitFailure = 'notAllowed' | 'readOnly' | 'branchUnknown' | ApplyFailure | `dry_${ApplyFailure}` | 'moved';

/** What git can't do: the two sides contradict each other, or the change is there already. */
type ApplyFailure = 'conflict' | 'empty';

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
  services: RefServices,
): Promise<CommitRow | undefined | Failure<CommitFailure>> {
  const { git } = services;
  const branch = await openBranch(params.branch);
  if (isFailure(branch)) return branch;
  const { project, name, caller } = branch;
  if (project.read_only) return fail('readOnly');
  const repository = repositoryOf(git, project);
  const tip = await branchTip(repository, name);
  if (tip === null) return fail('branchUnknown');
  const apply = way === 'revert' ? revert : cherryPick;
  const applied = await apply(git, repository, { commit: commit.id, onto: tip });
  if (!('tree' in applied)) {
    const failure = 'empty' in applied ? 'empty' : 'conflict';
    return fail(params.dry_run ? `dry_${failure}` : failure);
  }
  if (params.dry_run) return undefined;
  const me = { name: caller.user.name, email: caller.user.email };
  const message = params.message?.trim() ? params.message : usualMessage(way, commit, me);
  const id = await writeCommit(git, repository, {
    tree: applied.tree,
    parents: [tip],
    author: me,
    committer: me,
    message,
  });
  const change = { ref: HEADS + name, oldId: tip, newId: id };
  const refusal = await moveRefs(services, {
    project,
    by: { caller, may: toCommit({ branch: name }) },
    changes: [change],
  });
  if (refusal?.code === 'readOnly' || refusal?.code === 'notAllowed') return fail(refusal.code);
  if (refusal !== undefined) return fail('moved', { branch: name });
  return { commit: (await readCommit(git, repository, id))!, project };
}

interface Signer {
  readonly name: string;
  readonly email: string;
}

/** Whoever makes somebody else's change again says whose it was. */
function usualMessage(way: Way, { id, title, message, author }: Commit, me: Signer): string {
  if (way === 'revert') return `Revert "${title}"\n\nThis reverts commit ${id}`;
  const picked = `${message.trimEnd()}\n\n(cherry picked from commit ${id})`;
  const isMine = author.email.toLowerCase() === me.email.toLowerCase();
  return isMine ? picked : `${picked}\n\nCo-authored-by: ${author.name} <${author.email}>`;
}
