import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBoundedCache } from '#runtime/bounded-cache.ts';
import { definePerGit, type Git } from '../git.ts';
import { writeObject } from '../objects/loose-objects.ts';
import type { Commit } from '../objects/object-parser.ts';
import { EMPTY_TREE_ID, readCommit } from '../objects/object-reader.ts';
import { coalesce } from '../process/coalesce.ts';
import { GitError } from '../process/failures.ts';
import { type RunOptions, runGit } from '../process/spawn.ts';
import type { Repository } from '../repository.ts';
import { historyWalkLimiter } from '../trees/path-entries.ts';

/** A durable tree that no commit refers to yet, or the conflicting paths. */
type MergeResult = { readonly tree: string } | { readonly conflict: readonly string[] };

/** `empty`: the target already contains the change, the tree would not change. */
type ApplyResult = MergeResult | { readonly empty: true };

interface ApplyInput {
  /** The commit whose change is applied, relative to its first parent. */
  commit: string;
  /** The commit that the change is applied to. */
  onto: string;
}

/** Applies the change of a commit on top of another. */
export async function cherryPick(git: Git, repository: Repository, { commit, onto }: ApplyInput): Promise<ApplyResult> {
  const [before, after] = await loadTreesBeforeAndAfter(git, repository, commit);
  return applyTreeChange(git, repository, before, after, onto);
}

/** Applies the reverse of a commit's change on top of another. */
export async function revert(git: Git, repository: Repository, { commit, onto }: ApplyInput): Promise<ApplyResult> {
  const [before, after] = await loadTreesBeforeAndAfter(git, repository, commit);
  return applyTreeChange(git, repository, after, before, onto);
}

/** Merges two commits with their own merge bases. */
export async function mergeCommits(
  git: Git,
  repository: Repository,
  ours: string,
  theirs: string,
): Promise<MergeResult> {
  const { code, stdout } = await runMerge(git, repository, ours, theirs);
  const [tree = '', ...paths] = stdout.toString('utf8').split('\0').slice(0, -1);
  return code === 0 ? { tree } : { conflict: paths };
}

/** Runs `git merge-tree`. Exit code 1 of the result means conflicts. */
async function runMerge(git: Git, repository: Repository, ours: string, theirs: string, options: RunOptions = {}) {
  const flags = ['--write-tree', '-z', '--name-only', '--no-messages', '--allow-unrelated-histories'];
  const result = await runGit(
    git,
    repository,
    'merge-tree',
    { flags, args: [ours, theirs] },
    { ...options, acceptedCodes: [1] },
  );
  if (!result.ok) throw new GitError('merge-tree', result.failure);
  return result;
}

const cleanMergeCache = definePerGit(() => createBoundedCache<boolean>(50_000));

/** Returns whether two commits merge without conflicts. Leaves no objects in the repository. Cached per pair. */
export async function canMergeCleanly(
  git: Git,
  repository: Repository,
  ours: string,
  theirs: string,
): Promise<boolean> {
  const key = `${repository.directory} ${ours} ${theirs}`;
  const cached = cleanMergeCache(git).get(key);
  if (cached !== undefined) return cached;
  return coalesce(git, `merges cleanly ${key}`, async (shared) => {
    const isClean = await historyWalkLimiter(git).run(() => tryToMerge(shared, repository, ours, theirs), shared);
    cleanMergeCache(git).set(key, isClean);
    return isClean;
  });
}

/** Returns whether the merge is clean. git writes the trees into a temporary directory, which need not survive a crash. */
async function tryToMerge(git: Git, repository: Repository, ours: string, theirs: string): Promise<boolean> {
  const temporaryDirectory = await mkdtemp(join(tmpdir(), 'hearth-merge-'));
  const env = {
    GIT_OBJECT_DIRECTORY: temporaryDirectory,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: join(repository.directory, 'objects'),
  };
  try {
    const { code } = await runMerge(git, repository, ours, theirs, { env, config: { 'core.fsync': 'none' } });
    return code === 0;
  } finally {
    await rm(temporaryDirectory, { recursive: true, force: true });
  }
}

interface ThreeTrees {
  base: string;
  ours: string;
  theirs: string;
}

/**
 * Merges two trees with a third as their common ancestor. git 2.38 finds merge bases only in history, so the trees
 * become commits of an artificial history. Equal merges create equal commits; maintenance prunes them.
 */
async function mergeTrees(git: Git, repository: Repository, trees: ThreeTrees): Promise<MergeResult> {
  const base = await writePlaceholderCommit(git, repository, trees.base, null);
  const ours = await writePlaceholderCommit(git, repository, trees.ours, base);
  // Equal trees would be the same commit, and merging a commit with itself has no base.
  const theirs = trees.theirs === trees.ours ? ours : await writePlaceholderCommit(git, repository, trees.theirs, base);
  return mergeCommits(git, repository, ours, theirs);
}

/** Applies the change from tree `before` to tree `after` on top of the commit `onto`. */
async function applyTreeChange(
  git: Git,
  repository: Repository,
  before: string,
  after: string,
  onto: string,
): Promise<ApplyResult> {
  const ours = (await loadCommit(git, repository, onto)).treeId;
  const merged = await mergeTrees(git, repository, { base: before, ours, theirs: after });
  return 'tree' in merged && merged.tree === ours ? { empty: true } : merged;
}

async function loadTreesBeforeAndAfter(
  git: Git,
  repository: Repository,
  id: string,
): Promise<[before: string, after: string]> {
  const commit = await loadCommit(git, repository, id);
  const parent = commit.parentIds[0];
  const before = parent === undefined ? EMPTY_TREE_ID : (await loadCommit(git, repository, parent)).treeId;
  return [before, commit.treeId];
}

async function loadCommit(git: Git, repository: Repository, id: string): Promise<Commit> {
  const commit = await readCommit(git, repository, id);
  if (commit === null) throw new GitError('cat-file', { kind: 'not-found', text: id });
  return commit;
}

async function writePlaceholderCommit(
  git: Git,
  repository: Repository,
  tree: string,
  parent: string | null,
): Promise<string> {
  if (tree === EMPTY_TREE_ID) await writeObject(git, repository, 'tree', Buffer.alloc(0));
  // Constant, so that equal trees give equal commits.
  const placeholderSigner = 'Nobody <nobody@localhost> 0 +0000';
  const lines = [
    `tree ${tree}`,
    ...(parent === null ? [] : [`parent ${parent}`]),
    `author ${placeholderSigner}`,
    `committer ${placeholderSigner}`,
  ];
  return writeObject(git, repository, 'commit', Buffer.from(`${lines.join('\n')}\n\nSide of a merge\n`));
}
