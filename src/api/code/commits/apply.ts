import { writeCommit } from '#git/commits/commit.ts';
import { cherryPick, revert } from '#git/commits/merge.ts';
import { type Commit, readCommit } from '#git/objects/object-reader.ts';
import { HEADS } from '#git/ref-names.ts';
import { findBranchHead } from '#git/refs/revision.ts';
import type { RequirePushableBranch } from '#repositories/branches/push-permission.ts';
import { updateRepositoryRefs } from '#repositories/ref-updates/move-refs.ts';
import { commitPermission } from '#repositories/ref-updates/ref-permissions.ts';
import { getRepository } from '#repositories/repository.ts';
import type { RefServices } from '#repositories/services.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import type { CommitRow } from './entities.ts';

/** Whether a commit is applied again on a branch (`cherryPick`) or reversed there (`revert`). */
export type ApplyKind = 'cherryPick' | 'revert';

type CommitFailure =
  | 'notAllowed'
  | 'readOnly'
  | 'branchUnknown'
  | ApplyFailure
  | (typeof DRY_RUN_FAILURES)[ApplyFailure]
  | 'moved';

/** Why git cannot apply the commit: a conflict, or the change exists already. */
type ApplyFailure = 'conflict' | 'empty';

/** Failures of a dry run, whose responses differ. */
const DRY_RUN_FAILURES = { conflict: 'dryRunConflict', empty: 'dryRunEmpty' } as const;

export interface ApplyCall {
  readonly commit: Commit;
  readonly requirePushableBranch: RequirePushableBranch;
  readonly params: {
    readonly branch: string;
    /** Replaces the default message. */
    readonly message?: string | null | undefined;
    /** Whether to check only that the commit can be applied. */
    readonly dry_run: boolean;
  };
}

/** Applies a commit to a branch. Returns the new tip, or undefined after a successful dry run. */
export async function applyCommit(
  kind: ApplyKind,
  { commit, requirePushableBranch, params }: ApplyCall,
  services: RefServices,
): Promise<CommitRow | undefined | Failure<CommitFailure>> {
  const { git } = services;
  const branch = await requirePushableBranch(params.branch);
  if (isFailure(branch)) return branch;
  const { project, name, caller } = branch;
  if (project.read_only) return fail('readOnly');
  const repository = getRepository(git, project);
  const tip = await findBranchHead(repository, name);
  if (tip === null) return fail('branchUnknown');
  const apply = kind === 'revert' ? revert : cherryPick;
  const applyResult = await apply(git, repository, { commit: commit.id, onto: tip });
  if (!('tree' in applyResult)) {
    const failure = 'empty' in applyResult ? 'empty' : 'conflict';
    return fail(params.dry_run ? DRY_RUN_FAILURES[failure] : failure);
  }
  if (params.dry_run) return undefined;
  const signer = { name: caller.user.name, email: caller.user.email };
  const message = params.message?.trim() ? params.message : formatDefaultMessage(kind, commit, signer);
  const id = await writeCommit(git, repository, {
    tree: applyResult.tree,
    parents: [tip],
    author: signer,
    committer: signer,
    message,
  });
  const change = { ref: HEADS + name, oldId: tip, newId: id };
  const failure = await updateRepositoryRefs(services, {
    project,
    actor: { caller, permission: commitPermission({ branch: name }) },
    changes: [change],
  });
  if (failure?.code === 'readOnly' || failure?.code === 'notAllowed') return fail(failure.code);
  if (failure !== undefined) return fail('moved', { branch: name });
  return { commit: (await readCommit(git, repository, id))!, project };
}

interface Signer {
  readonly name: string;
  readonly email: string;
}

/** Returns the default message. A cherry-pick of somebody else's commit credits its author. */
function formatDefaultMessage(kind: ApplyKind, { id, title, message, author }: Commit, signer: Signer): string {
  if (kind === 'revert') return `Revert "${title}"\n\nThis reverts commit ${id}`;
  const messageWithSource = `${message.trimEnd()}\n\n(cherry picked from commit ${id})`;
  const isOwnCommit = author.email.toLowerCase() === signer.email.toLowerCase();
  return isOwnCommit ? messageWithSource : `${messageWithSource}\n\nCo-authored-by: ${author.name} <${author.email}>`;
}
