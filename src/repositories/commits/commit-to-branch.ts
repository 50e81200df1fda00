import { mayForcePush } from '#authorization/protected-branches/branch-rules.ts';
import { listProtectionRules } from '#authorization/protected-branches/protected-branches.ts';
import { isAncestor } from '#git/commits/ancestry.ts';
import { commitChanges, type FileChange } from '#git/commits/commit.ts';
import { definePerGit, type Git } from '#git/git.ts';
import { HEADS } from '#git/ref-names.ts';
import { isSha, isValidBranchName, startsWithSha, ZERO_ID } from '#git/refs/refs.ts';
import { findBranchHead, resolveRevision } from '#git/refs/revision.ts';
import { listDirectories } from '#git/trees/attributes.ts';
import { findLastCommit } from '#git/trees/path-entries.ts';
import { createKeyedLock } from '#runtime/concurrency-limiter.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { createYielder } from '#runtime/yielding.ts';
import type { PushableBranch } from '../branches/push-permission.ts';
import { type FileBytes, storeFileContents } from '../lfs/lfs-content.ts';
import { ensureProjectRepository, updateRepositoryRefs } from '../ref-updates/move-refs.ts';
import { commitPermission } from '../ref-updates/ref-permissions.ts';
import { getRepository } from '../repository.ts';
import type { ContentServices } from '../services.ts';

// Commits file changes to a branch: resolves the parent, writes the objects, moves the ref.

export interface CommitToBranchInput {
  /** File changes, applied in order, all or none. */
  readonly changes: readonly CommitFileChange[];
  /** Commit message, stored unchanged. */
  readonly message: string;
  /** Name and email of the author; default: the caller. */
  readonly authorName?: string | undefined;
  readonly authorEmail?: string | undefined;
  /** Branch at whose head the new branch starts. */
  readonly startBranch?: string | undefined;
  /** Commit at which the new branch starts. With `force` an existing branch is reset to it. */
  readonly startSha?: string | undefined;
  readonly force?: boolean | undefined;
  /** Whether to create the commit even if its tree equals the parent's. */
  readonly allowEmpty?: boolean | undefined;
}

export type CommitFileChange = FileChange<FileBytes> & {
  /** The last commit of the file that the client knows. */
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
  | 'tooManyDirectories'
  | 'empty'
  | 'moved';

/**
 * Creates the commit and returns its id. Fails with `moved` if the branch was moved meanwhile (contract/repository.md §1).
 */
export function commitToBranch(
  services: ContentServices,
  branch: PushableBranch,
  input: CommitToBranchInput,
): Promise<string | Failure<CommitToBranchFailure>> {
  return withBranchLock(services.git, branch, () => commitWithLock(services, branch, input));
}

async function commitWithLock(
  services: ContentServices,
  branch: PushableBranch,
  input: CommitToBranchInput,
): Promise<string | Failure<CommitToBranchFailure>> {
  const { git } = services;
  const { project, name, caller } = branch;
  if (project.read_only) return fail('readOnly');
  if (await hasTooManyDirectories(input.changes)) return fail('tooManyDirectories');
  const start = await resolveStart(services, branch, input);
  if (isFailure(start)) return start;
  const { parent, currentHead, forced } = start;
  const stalePath = parent === null ? null : await findStalePath(services, project, parent, input.changes);
  if (stalePath !== null) return fail('stale', { path: stalePath });
  if (parent === null) await ensureProjectRepository(git, project);
  const storedContents = await storeFileContents(services, project, parent, input.changes);
  if (isFailure(storedContents)) return storedContents;
  const { message, allowEmpty = false } = input;
  const committer = { name: caller.user.name, email: caller.user.email };
  const author = { name: input.authorName ?? committer.name, email: input.authorEmail ?? committer.email };
  const commitInput = { parent, changes: storedContents.changes, message, author, committer, allowEmpty };
  const commit = await commitChanges(git, getRepository(git, project), commitInput);
  if ('rejected' in commit) return toChangeFailure(commit);
  const failure = await updateRepositoryRefs(services, {
    project,
    actor: { caller, permission: commitPermission({ branch: name, forced }) },
    changes: [{ ref: HEADS + name, oldId: currentHead ?? ZERO_ID, newId: commit.commit }],
    writeWithIntent: storedContents.linkLfsObjects,
    mustBeFirstBranch: parent === null,
  });
  return failure === undefined ? commit.commit : toMoveFailure(failure.code, name);
}

/** Maximum directories of one commit: each loads and stores a tree, and ten thousand paths of 4 KiB could have millions. */
const MAX_DIRECTORIES = 100_000;

async function hasTooManyDirectories(changes: readonly CommitFileChange[]): Promise<boolean> {
  const paths = changes.flatMap((change) => (change.action === 'move' ? [change.path, change.from] : [change.path]));
  return (await listDirectories(paths, MAX_DIRECTORIES)) === null;
}

interface CommitStart {
  /** Parent of the new commit; null for the first commit of the repository. */
  readonly parent: string | null;
  /** Current head of the branch; null if it does not exist. */
  readonly currentHead: string | null;
  /** Whether the new head does not contain the current one. */
  readonly forced: boolean;
}

/** Returns where the commit starts, or the reason why the branch cannot start there. */
async function resolveStart(
  services: ContentServices,
  { project, name }: PushableBranch,
  { startBranch, startSha, force }: CommitToBranchInput,
): Promise<CommitStart | Failure<CommitToBranchFailure>> {
  const repository = getRepository(services.git, project);
  const commit = await resolveStartCommit(services, project, startSha);
  if (isFailure(commit)) return commit;
  const currentHead = await findBranchHead(repository, name);
  // An explicit start that is not simply the head of this branch.
  const hasOtherStart = commit !== undefined || (startBranch !== undefined && startBranch !== name);
  const parent = commit ?? (hasOtherStart ? await findBranchHead(repository, startBranch!) : currentHead);
  if (parent === null && !(await isStillEmpty(services, project))) return fail('notOnBranch');
  if (hasOtherStart && currentHead !== null && !force) return fail('branchExists', { branch: name });
  if (currentHead === null && !isValidBranchName(name)) return fail('branchInvalid', { branch: name });
  if (currentHead === null && startsWithSha(name)) return fail('looksLikeSha');
  if (currentHead === null || parent === currentHead) return { parent, currentHead, forced: false };
  const forced = parent === null || !(await isAncestor(services.git, repository, currentHead, parent));
  if (forced && !mayForcePush(await listProtectionRules(services.database.reader, project.id), name)) {
    return fail('forceNotAllowed');
  }
  return { parent, currentHead, forced };
}

type Project = PushableBranch['project'];

async function resolveStartCommit(
  { git }: ContentServices,
  project: Project,
  sha: string | undefined,
): Promise<string | undefined | Failure<'startShaInvalid' | 'startShaUnknown'>> {
  if (sha === undefined) return undefined;
  if (!isSha(sha)) return fail('startShaInvalid', { sha });
  return (await resolveRevision(git, getRepository(git, project), sha)) ?? fail('startShaUnknown', { sha });
}

/** Returns whether the repository has no commits: the first may have been created since the project was loaded. */
async function isStillEmpty({ database, git }: ContentServices, project: Project): Promise<boolean> {
  if (!project.empty) return false;
  if ((await findBranchHead(getRepository(git, project), project.default_branch)) !== null) return false;
  const row = await database.reader
    .selectFrom('repositories')
    .select('empty')
    .where('project_id', '=', project.id)
    .executeTakeFirst();
  return row?.empty === true;
}

/**
 * Returns the first path that has changed since the client read it, or null. A path has changed if its last commits differ,
 * seen from the parent and from `lastCommitId`. If either is unknown the path is not stale.
 */
async function findStalePath(
  { git }: ContentServices,
  project: Project,
  parent: string,
  changes: readonly CommitFileChange[],
): Promise<string | null> {
  const repository = getRepository(git, project);
  const yieldIfDue = createYielder();
  for (const change of changes) {
    if (change.lastCommitId === undefined) continue;
    await yieldIfDue();
    const path = change.action === 'move' ? change.from : change.path;
    const lastSeenCommit = await resolveRevision(git, repository, change.lastCommitId);
    // The most common case: no new commits.
    if (lastSeenCommit === parent) continue;
    const lastSeenChange = lastSeenCommit === null ? null : await findLastCommit(git, repository, lastSeenCommit, path);
    const lastChange = lastSeenChange === null ? null : await findLastCommit(git, repository, parent, path);
    if (lastChange !== null && lastChange !== lastSeenChange) return path;
  }
  return null;
}

type FailedCommit = Exclude<Awaited<ReturnType<typeof commitChanges>>, { ok: true }>;

function toChangeFailure(failedCommit: FailedCommit): Failure<CommitToBranchFailure> {
  switch (failedCommit.rejected) {
    case 'exists':
    case 'parent-is-file':
      return fail('fileExists');
    case 'missing':
      return fail('fileMissing');
    case 'is-directory':
      return fail('isDirectory');
    case 'invalid-path':
      return fail('pathInvalid', { path: failedCommit.path });
    case 'missing-parent':
      return fail('notOnBranch');
    case 'empty':
      return fail('empty');
  }
}

function toMoveFailure(code: string, branch: string): Failure<CommitToBranchFailure> {
  if (code === 'readOnly' || code === 'notAllowed' || code === 'forceNotAllowed') return fail(code);
  if (code === 'notFirst') return fail('notOnBranch');
  return fail(code === 'conflict' || code === 'invalid-name' ? 'branchInvalid' : 'moved', { branch });
}

/**
 * Locks by branch for writers of this process, so that each writer starts from the commit of the previous one. Between
 * processes the compare-and-swap of the ref decides: the later writer fails.
 */
const branchLocks = definePerGit(() => createKeyedLock({ maxWaiting: 256, retryAfterSeconds: 5 }));

/**
 * Runs `work` while holding the lock of a branch. In an empty repository all branches share a lock, because the first
 * branch determines which others are allowed.
 */
export function withBranchLock<T>(
  git: Git,
  { project, name }: Pick<PushableBranch, 'project' | 'name'>,
  work: () => Promise<T>,
): Promise<T> {
  const runLocked = () => branchLocks(git)(`${project.id} ${name}`, work, git);
  return project.empty ? branchLocks(git)(`${project.id} `, runLocked, git) : runLocked();
}
