import { createBoundedCache } from '#runtime/bounded-cache.ts';
import { createConcurrencyLimiter } from '#runtime/concurrency-limiter.ts';
import { definePerGit, type Git } from '../git.ts';
import { toCanonicalMode } from '../objects/object-parser.ts';
import {
  type Commit,
  getObjectInfo,
  MAX_PARSED_TREE,
  readCommit,
  readCommits,
  readTree,
  type TreeEntry,
} from '../objects/object-reader.ts';
import { coalesce } from '../process/coalesce.ts';
import { GitError } from '../process/failures.ts';
import { readGitOutput, runGit } from '../process/spawn.ts';
import type { Repository } from '../repository.ts';

/** Limits concurrent history walks, each of which occupies a processor. */
export const historyWalkLimiter = definePerGit((git) =>
  createConcurrencyLimiter(git.limits.maxHistoryWalks, { maxWaiting: 256, retryAfterSeconds: 10 }),
);

/** Entry at a path; `name` is its last segment. */
export type PathEntry = TreeEntry;

/**
 * Returns the entry at a path of a commit, taken literally; `''` is the root tree. Null if there is none. A path with
 * empty segments matches nothing. Fast: trees are cached.
 */
export async function findEntryAtPath(
  git: Git,
  repository: Repository,
  commit: string,
  path: string,
): Promise<PathEntry | null> {
  const commitObject = await readCommit(git, repository, commit);
  return commitObject === null ? null : findEntryInTree(git, repository, commitObject.treeId, path);
}

/** As `findEntryAtPath`, relative to a tree. */
export async function findEntryInTree(
  git: Git,
  repository: Repository,
  treeId: string,
  path: string,
): Promise<PathEntry | null> {
  let entry: TreeEntry = { mode: '040000', type: 'tree', id: treeId, name: '' };
  if (path === '') return entry;
  for (const segment of path.split('/')) {
    if (entry.type !== 'tree') return null;
    const next: TreeEntry | null = await findTreeEntry(git, repository, entry.id, segment);
    if (next === null) return null;
    entry = next;
  }
  return entry;
}

const largeTreeEntryCache = definePerGit(() => createBoundedCache<{ readonly entry: TreeEntry | null }>(10_000));

/** Maximum length of a cached name in characters: no file system has longer ones, but requests may. */
const MAX_CACHED_NAME_LENGTH = 255;

/** Returns the entry of a tree by name. For a very large tree, git reads only this entry. */
export async function findTreeEntry(
  git: Git,
  repository: Repository,
  treeId: string,
  name: string,
): Promise<TreeEntry | null> {
  const tree = await readTree(git, repository, treeId, MAX_PARSED_TREE);
  if (tree !== null) return tree.findEntry(name) ?? null;
  if ((await getObjectInfo(git, repository, treeId))?.type !== 'tree') return null;
  if (name === '' || name.includes('\0') || !name.isWellFormed()) return null;
  const key = `${repository.directory} ${treeId} ${name}`;
  const cached = largeTreeEntryCache(git).get(key);
  if (cached !== undefined) return cached.entry;
  const invocation = { flags: ['-z', '--full-tree'], args: [treeId], paths: [name] };
  const line = (await readGitOutput(git, repository, 'ls-tree', invocation)).toString('latin1');
  const [, mode, type, id] = /^(\d{6}) (tree|blob|commit) ([0-9a-f]{40})\t/.exec(line) ?? [];
  const entry = id === undefined ? null : { mode: toCanonicalMode(mode!), type: type as TreeEntry['type'], id, name };
  if (name.length <= MAX_CACHED_NAME_LENGTH) largeTreeEntryCache(git).set(key, { entry });
  return entry;
}

const lastCommitCache = definePerGit(() => createBoundedCache<string>(20_000));

/**
 * Returns the last commit reachable from `commit` that changed the path (a file or directory, taken literally), with
 * git's default history simplification and without following renames. Null if there is none. Cached per commit and
 * path.
 */
export async function findLastCommit(
  git: Git,
  repository: Repository,
  commit: string,
  path: string,
): Promise<string | null> {
  // Neither clients nor process arguments can contain a name that is not UTF-8.
  if (!/^[0-9a-f]{40}$/.test(commit) || !path.isWellFormed() || path.includes('\0')) return null;
  const key = `${repository.directory} ${commit} ${path}`;
  const cached = lastCommitCache(git).get(key);
  if (cached !== undefined) return cached;
  return coalesce(git, `last commit ${key}`, async (sharedGit) => {
    const lastCommit = await historyWalkLimiter(git).run(
      () => computeLastCommit(sharedGit, repository, commit, path),
      sharedGit,
    );
    // A missing commit may be pushed later, so only found results are cached.
    if (lastCommit !== null) lastCommitCache(git).set(key, lastCommit);
    return lastCommit;
  });
}

async function computeLastCommit(
  git: Git,
  repository: Repository,
  commit: string,
  path: string,
): Promise<string | null> {
  const start = await walkRecentCommits(git, repository, commit, path);
  if (start === null || typeof start === 'string') return start;
  const paths = path === '' ? [] : [path];
  const result = await runGit(git, repository, 'rev-list', {
    flags: ['--max-count=1'],
    args: [start.continueAt],
    paths,
  });
  if (result.ok) return result.stdout.toString('latin1').trim() || null;
  throw new GitError('rev-list', result.failure);
}

/** Maximum number of commits that are compared before git walks the history. Each takes some objects to read. */
const MAX_COMPARED_COMMITS = 16;
/** Maximum bytes of a tree that is compared (some 1,500 entries): to parse many larger ones takes longer than a process. */
const MAX_COMPARED_TREE = 64 * 1024;

/**
 * Returns the last commit that changed the path if it is one of the most recent ones, which needs no process. Otherwise returns the
 * commit at which git must continue. Follows the first parent with the same entry, as git does.
 */
async function walkRecentCommits(
  git: Git,
  repository: Repository,
  commit: string,
  path: string,
): Promise<string | null | { readonly continueAt: string }> {
  let current = await readCommit(git, repository, commit);
  if (current === null) return null;
  const findEntry = ({ treeId }: Commit) => findEntryInSmallTrees(git, repository, treeId, path);
  let entry = await findEntry(current);
  for (let compared = 0; compared < MAX_COMPARED_COMMITS; compared++) {
    const parents = await readCommits(git, repository, current.parentIds);
    let unchanged: Commit | null = null;
    for (const parent of parents) {
      const parentEntry = parent === null ? undefined : await findEntry(parent);
      // Only git knows paths that are in no tree of this commit, large trees, and errors of incomplete histories.
      if (!entry || parentEntry === undefined) return { continueAt: current.id };
      if (parentEntry?.id !== entry.id || parentEntry.mode !== entry.mode) continue;
      unchanged = parent;
      entry = parentEntry;
      break;
    }
    if (!entry) return { continueAt: current.id };
    if (unchanged === null) return current.id;
    current = unchanged;
  }
  return { continueAt: current.id };
}

/** As `findEntryInTree`, but returns undefined if a tree is missing or larger than `MAX_COMPARED_TREE`. */
async function findEntryInSmallTrees(
  git: Git,
  repository: Repository,
  treeId: string,
  path: string,
): Promise<PathEntry | null | undefined> {
  let entry: TreeEntry = { mode: '040000', type: 'tree', id: treeId, name: '' };
  for (const segment of path.split('/')) {
    if (entry.type !== 'tree') return null;
    const tree = await readTree(git, repository, entry.id, MAX_COMPARED_TREE);
    if (tree === null) return undefined;
    const next = tree.findEntry(segment);
    if (next === undefined) return null;
    entry = next;
  }
  return entry;
}
