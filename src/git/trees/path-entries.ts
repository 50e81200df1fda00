import { keptAtMost } from '#runtime/bounded-cache.ts';
import { gate } from '#runtime/concurrency-limiter.ts';
import { type Git, ownedBy } from '../git.ts';
import { LARGE_TREE, objectInfo, readCommit, readTree, type TreeEntry } from '../objects/object-reader.ts';
import { together } from '../process/coalesce.ts';
import { GitFailed } from '../process/failures.ts';
import { output, run } from '../process/spawn.ts';
import type { Repository } from '../repository.ts';

/** At most so many history walks at once, whoever asks: each takes a processor for itself. Beyond a long line nobody waits. */
export const walks = ownedBy((git) => gate(git.limits.walks, { waiting: 256, retryAfter: 10 }));

/** What stands at a path: the last part of it is `name`. */
export type PathEntry = TreeEntry;

/**
 * What a commit has at a path, taken literally; the root of the tree at `''`. Null: nothing, or no such commit. A path
 * with empty parts leads nowhere. Hot: no question to git, the trees on the way are remembered.
 */
export async function entryAt(
  git: Git,
  repository: Repository,
  commit: string,
  path: string,
): Promise<PathEntry | null> {
  const found = await readCommit(git, repository, commit);
  return found === null ? null : entryInTree(git, repository, found.treeId, path);
}

/** As `entryAt`, below a tree. */
export async function entryInTree(
  git: Git,
  repository: Repository,
  treeId: string,
  path: string,
): Promise<PathEntry | null> {
  let entry: TreeEntry = { mode: '040000', type: 'tree', id: treeId, name: '' };
  if (path === '') return entry;
  for (const segment of path.split('/')) {
    if (entry.type !== 'tree') return null;
    const next: TreeEntry | null = await treeEntry(git, repository, entry.id, segment);
    if (next === null) return null;
    entry = next;
  }
  return entry;
}

const namesInLargeTrees = ownedBy(() => keptAtMost<{ readonly entry: TreeEntry | null }>(10_000));

/** What a tree has under a name. Of a tree with hundreds of thousands of entries git reads the one. */
export async function treeEntry(
  git: Git,
  repository: Repository,
  treeId: string,
  name: string,
): Promise<TreeEntry | null> {
  const tree = await readTree(git, repository, treeId, LARGE_TREE);
  if (tree !== null) return tree.entry(name) ?? null;
  if ((await objectInfo(git, repository, treeId))?.type !== 'tree') return null;
  if (name === '' || name.includes('\0') || !name.isWellFormed()) return null;
  const key = `${repository.directory} ${treeId} ${name}`;
  const known = namesInLargeTrees(git).get(key);
  if (known !== undefined) return known.entry;
  const invocation = { flags: ['-z', '--full-tree'], args: [treeId], paths: [name] };
  const line = (await output(git, repository, 'ls-tree', invocation)).toString('latin1');
  const [, mode, type, id] = /^(\d{6}) (tree|blob|commit) ([0-9a-f]{40})\t/.exec(line) ?? [];
  const entry = id === undefined ? null : { mode: mode!, type: type as TreeEntry['type'], id, name };
  namesInLargeTrees(git).set(key, { entry });
  return entry;
}

const lastCommits = ownedBy(() => keptAtMost<string>(20_000));

/**
 * The last commit, reachable from `commit`, that changed the path (a file or directory, taken literally): git's default
 * history simplification, renames are not followed. Null: none did. Asked from git once per commit and path.
 */
export async function lastCommitFor(
  git: Git,
  repository: Repository,
  commit: string,
  path: string,
): Promise<string | null> {
  // Nothing that is not UTF-8 can be named by a client, nor be handed to git as an argument.
  if (!/^[0-9a-f]{40}$/.test(commit) || !path.isWellFormed() || path.includes('\0')) return null;
  const key = `${repository.directory} ${commit} ${path}`;
  const known = lastCommits(git).get(key);
  if (known !== undefined) return known;
  return together(git, `last commit ${key}`, async (shared) => {
    const found = await walks(git).enter(() => askLastCommit(shared, repository, commit, path), shared);
    // A commit that does not exist today can be pushed tomorrow: only what was found stays.
    if (found !== null) lastCommits(git).set(key, found);
    return found;
  });
}

async function askLastCommit(git: Git, repository: Repository, commit: string, path: string): Promise<string | null> {
  if ((await readCommit(git, repository, commit)) === null) return null;
  const paths = path === '' ? undefined : [path];
  const result = await run(git, repository, 'rev-list', { flags: ['--max-count=1'], args: [commit], paths });
  if (result.ok) return result.stdout.toString('latin1').trim() || null;
  throw new GitFailed('rev-list', result.failure);
}
