import { mayForcePush } from '#authorization/protected-branches/branch-rules.ts';
import { protectionRules } from '#authorization/protected-branches/protected-branches.ts';
import { isAncestor } from '#git/commits/ancestry.ts';
import { commitChanges, type FileChange } from '#git/commits/commit.ts';
import { HEADS } from '#git/ref-names.ts';
import { beginsWithSha, isSha, validBranchName, zeroId } from '#git/refs/refs.ts';
import { branchTip, resolveRevision } from '#git/refs/revision.ts';
import { lastCommitFor } from '#git/trees/path-entries.ts';
import { givingWay } from '#runtime/concurrency-limiter.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import type { OpenBranch } from '../branches/push-permission.ts';
import { type Bytes, storeContents } from '../lfs/lfs-content.ts';
import { ensureProjectRepository, moveRefs } from '../ref-updates/move-refs.ts';
import { toCommit } from '../ref-updates/ref-permissions.ts';
import { repositoryOf } from '../repository.ts';
import type { ContentServices } from '../services.ts';
import { inBranchTurn } from './branch-lock.ts';

/** Changes of files become a commit on a branch: its parent is picked, the objects are written, the ref moves. */

export interface BranchCommit {
  /** Applied in their order, all of them or none. */
  readonly changes: readonly WantedChange[];
  /** Stored as it is. */
  readonly message: string;
  /** The pusher, where nobody else is named. */
  readonly authorName?: string | undefined;
  readonly authorEmail?: string | undefined;
  /** The new branch begins at the tip of this one. */
  readonly startBranch?: string | undefined;
  /** The new branch begins at this commit; with `force` an existing one does. */
  readonly startSha?: string | undefined;
  readonly force?: boolean | undefined;
  /** A commit with its parent's tree is made and not refused. */
  readonly allowEmpty?: boolean | undefined;
}

export type WantedChange = FileChange<Bytes> & {
  /** What the client knew of the file when it began to edit it. */
  readonly lastCommitId?: string | undefined;
};

export type CommitToBranchFailure =
  | 'notAllowed'
  | 'readOnly'
  | 'startShaInvalid'
  | 'startShaUnknown'
  | 'notOnBranch'
  | 'branchExists'
  | 'branchInvalid'
  | 'looksLikeSha'
  | 'forceNotAllowed'
  | 'stale'
  | 'lfsMissing'
  | 'fileExists'
  | 'fileMissing'
  | 'isDirectory'
  | 'pathInvalid'
  | 'empty'
  | 'moved';

/** Gives the new commit's id. `moved`: somebody else has moved the branch meanwhile (contract/repository.md §1). */
export function commitToBranch(
  services: ContentServices,
  branch: OpenBranch,
  wish: BranchCommit,
): Promise<string | Failure<CommitToBranchFailure>> {
  return inBranchTurn(services.git, branch, () => commitInTurn(services, branch, wish));
}

async function commitInTurn(
  services: ContentServices,
  branch: OpenBranch,
  wish: BranchCommit,
): Promise<string | Failure<CommitToBranchFailure>> {
  const { git } = services;
  const { project, name, caller } = branch;
  if (project.read_only) return fail('readOnly');
  const start = await startOf(services, branch, wish);
  if (isFailure(start)) return start;
  const { parent, tip, forced } = start;
  const stale = parent === null ? null : await stalePath(services, project, parent, wish.changes);
  if (stale !== null) return fail('stale', { path: stale });
  if (parent === null) await ensureProjectRepository(git, project);
  const stored = await storeContents(services, project, parent, wish.changes);
  if (isFailure(stored)) return stored;
  const { message, allowEmpty } = wish;
  const committer = { name: caller.user.name, email: caller.user.email };
  const author = { name: wish.authorName ?? committer.name, email: wish.authorEmail ?? committer.email };
  const request = { parent, changes: stored.changes, message, author, committer, allowEmpty };
  const made = await commitChanges(git, repositoryOf(git, project), request);
  if ('refused' in made) return refusedChange(made);
  const refusal = await moveRefs(services, {
    project,
    by: { caller, may: toCommit({ branch: name, forced }) },
    changes: [{ ref: HEADS + name, oldId: tip ?? zeroId, newId: made.commit }],
    besides: stored.link,
    first: parent === null,
  });
  return refusal === undefined ? made.commit : refusedMove(refusal.code, name);
}

interface Start {
  /** Of the new commit; null: the repository's first. */
  readonly parent: string | null;
  /** Where the branch is now; null: it is made. */
  readonly tip: string | null;
  /** The branch leaves its history behind. */
  readonly forced: boolean;
}

async function startOf(
  services: ContentServices,
  { project, name }: OpenBranch,
  { startBranch, startSha, force }: BranchCommit,
): Promise<Start | Failure<CommitToBranchFailure>> {
  const repository = repositoryOf(services.git, project);
  const commit = await startCommit(services, project, startSha);
  if (isFailure(commit)) return commit;
  const tip = await branchTip(repository, name);
  const elsewhere = commit !== undefined || (startBranch !== undefined && startBranch !== name);
  const parent = commit ?? (elsewhere ? await branchTip(repository, startBranch as string) : tip);
  if (parent === null && !(await isStillEmpty(services, project))) return fail('notOnBranch');
  if (elsewhere && tip !== null && !force) return fail('branchExists', { branch: name });
  if (tip === null && !validBranchName(name)) return fail('branchInvalid', { branch: name });
  if (tip === null && beginsWithSha(name)) return fail('looksLikeSha');
  if (tip === null || parent === tip) return { parent, tip, forced: false };
  const forced = parent === null || !(await isAncestor(services.git, repository, tip, parent));
  if (forced && !mayForcePush(await protectionRules(services.database.reader, project.id), name)) {
    return fail('forceNotAllowed');
  }
  return { parent, tip, forced };
}

type Project = OpenBranch['project'];

async function startCommit(
  { git }: ContentServices,
  project: Project,
  sha: string | undefined,
): Promise<string | undefined | Failure<'startShaInvalid' | 'startShaUnknown'>> {
  if (sha === undefined) return undefined;
  if (!isSha(sha)) return fail('startShaInvalid', { sha });
  return (await resolveRevision(git, repositoryOf(git, project), sha)) ?? fail('startShaUnknown', { sha });
}

/** The project as it was loaded may have got its first commit since, recorded or about to be. */
async function isStillEmpty({ database, git }: ContentServices, project: Project): Promise<boolean> {
  if (!project.empty) return false;
  if ((await branchTip(repositoryOf(git, project), project.default_branch)) !== null) return false;
  const row = await database.reader
    .selectFrom('repositories')
    .select('empty')
    .where('project_id', '=', project.id)
    .executeTakeFirst();
  return row?.empty === true;
}

/**
 * The first path that has changed since the client looked at it: its last commit as seen from the parent and as seen
 * from `lastCommitId` differ. When either sees none, nothing is known and nothing is stale. Null: none has changed.
 */
async function stalePath(
  { git }: ContentServices,
  project: Project,
  parent: string,
  changes: readonly WantedChange[],
): Promise<string | null> {
  const repository = repositoryOf(git, project);
  const giveWay = givingWay();
  for (const change of changes) {
    if (change.lastCommitId === undefined) continue;
    await giveWay();
    const path = change.action === 'move' ? change.from : change.path;
    const seen = await resolveRevision(git, repository, change.lastCommitId);
    // By far the commonest case: nobody has committed anything meanwhile.
    if (seen === parent) continue;
    const then = seen === null ? null : await lastCommitFor(git, repository, seen, path);
    const now = then === null ? null : await lastCommitFor(git, repository, parent, path);
    if (now !== null && now !== then) return path;
  }
  return null;
}

type RefusedCommit = Exclude<Awaited<ReturnType<typeof commitChanges>>, { ok: true }>;

function refusedChange(made: RefusedCommit): Failure<CommitToBranchFailure> {
  switch (made.refused) {
    case 'exists':
    case 'parent-is-file':
      return fail('fileExists');
    case 'missing':
      return fail('fileMissing');
    case 'is-directory':
      return fail('isDirectory');
    case 'invalid-path':
      return fail('pathInvalid', { path: made.path });
    case 'missing-parent':
      return fail('notOnBranch');
    case 'empty':
      return fail('empty');
  }
}

function refusedMove(code: string, branch: string): Failure<CommitToBranchFailure> {
  if (code === 'readOnly' || code === 'notAllowed' || code === 'forceNotAllowed') return fail(code);
  if (code === 'notFirst') return fail('notOnBranch');
  return fail(code === 'conflict' || code === 'invalid-name' ? 'branchInvalid' : 'moved', { branch });
}
