import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keptAtMost } from '#runtime/bounded-cache.ts';
import { type Git, ownedBy } from '../git.ts';
import { writeObject } from '../objects/loose-objects.ts';
import type { Commit } from '../objects/object-parser.ts';
import { emptyTree, readCommit } from '../objects/object-reader.ts';
import { together } from '../process/coalesce.ts';
import { GitFailed } from '../process/failures.ts';
import { type RunOptions, run } from '../process/spawn.ts';
import type { Repository } from '../repository.ts';
import { walks } from '../trees/path-entries.ts';

/**
 * What came of a merge: a tree, durable, which no commit names yet; or the paths that two sides changed differently.
 */
type Merged = { readonly tree: string } | { readonly conflict: readonly string[] };

/** `empty`: the change is there already, the tree would stay as it is. */
type Applied = Merged | { readonly empty: true };

interface Apply {
  /** The commit whose change is taken, seen from its first parent. */
  commit: string;
  /** The commit that it is applied to. */
  onto: string;
}

/** The change of a commit, made again on top of another. */
export async function cherryPick(git: Git, repository: Repository, { commit, onto }: Apply): Promise<Applied> {
  const [before, after] = await treesAround(git, repository, commit);
  return apply(git, repository, before, after, onto);
}

/** The change of a commit, taken back on top of another. */
export async function revert(git: Git, repository: Repository, { commit, onto }: Apply): Promise<Applied> {
  const [before, after] = await treesAround(git, repository, commit);
  return apply(git, repository, after, before, onto);
}

/** Merges two commits that share history, by their own merge bases. */
export async function mergeCommits(git: Git, repository: Repository, ours: string, theirs: string): Promise<Merged> {
  const { code, stdout } = await runMerge(git, repository, ours, theirs);
  const [tree = '', ...paths] = stdout.toString('utf8').split('\0').slice(0, -1);
  return code === 0 ? { tree } : { conflict: paths };
}

/** Code 1: both changed the same. */
async function runMerge(git: Git, repository: Repository, ours: string, theirs: string, options: RunOptions = {}) {
  const flags = ['--write-tree', '-z', '--name-only', '--no-messages', '--allow-unrelated-histories'];
  const result = await run(
    git,
    repository,
    'merge-tree',
    { flags, args: [ours, theirs] },
    { ...options, answers: [1] },
  );
  if (!result.ok) throw new GitFailed('merge-tree', result.failure);
  return result;
}

const clean = ownedBy(() => keptAtMost<boolean>(50_000));

/**
 * Whether two commits that share history can be merged without anybody's help; nothing of it stays in the repository. Asked
 * once for each two of them.
 */
export async function mergesCleanly(git: Git, repository: Repository, ours: string, theirs: string): Promise<boolean> {
  const key = `${repository.directory} ${ours} ${theirs}`;
  const known = clean(git).get(key);
  if (known !== undefined) return known;
  return together(git, `merges cleanly ${key}`, async (shared) => {
    const merged = await walks(git).enter(() => tryToMerge(shared, repository, ours, theirs), shared);
    clean(git).set(key, merged);
    return merged;
  });
}

/** The trees that git writes on the way go into a directory of their own, which need not outlive a crash. */
async function tryToMerge(git: Git, repository: Repository, ours: string, theirs: string): Promise<boolean> {
  const aside = await mkdtemp(join(tmpdir(), 'hearth-merge-'));
  const env = {
    GIT_OBJECT_DIRECTORY: aside,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: join(repository.directory, 'objects'),
  };
  try {
    const { code } = await runMerge(git, repository, ours, theirs, { env, config: { 'core.fsync': 'none' } });
    return code === 0;
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
}

interface ThreeTrees {
  base: string;
  ours: string;
  theirs: string;
}

/**
 * Merges two trees whose common ancestor is a third one. git 2.38 finds merge bases only by itself, so the trees become
 * commits of a made-up history; equal merges make equal ones, and upkeep removes them.
 */
async function mergeTrees(git: Git, repository: Repository, trees: ThreeTrees): Promise<Merged> {
  const base = await writeCommit(git, repository, trees.base, null);
  const ours = await writeCommit(git, repository, trees.ours, base);
  // The same tree twice would be one commit, and a merge with oneself has no base to look at.
  const theirs = trees.theirs === trees.ours ? ours : await writeCommit(git, repository, trees.theirs, base);
  return mergeCommits(git, repository, ours, theirs);
}

async function apply(git: Git, repository: Repository, before: string, after: string, onto: string): Promise<Applied> {
  const ours = (await commitOf(git, repository, onto)).treeId;
  const merged = await mergeTrees(git, repository, { base: before, ours, theirs: after });
  return 'tree' in merged && merged.tree === ours ? { empty: true } : merged;
}

async function treesAround(git: Git, repository: Repository, id: string): Promise<[before: string, after: string]> {
  const commit = await commitOf(git, repository, id);
  const parent = commit.parentIds[0];
  const before = parent === undefined ? emptyTree : (await commitOf(git, repository, parent)).treeId;
  return [before, commit.treeId];
}

async function commitOf(git: Git, repository: Repository, id: string): Promise<Commit> {
  const commit = await readCommit(git, repository, id);
  if (commit === null) throw new GitFailed('cat-file', { kind: 'not-found', text: id });
  return commit;
}

async function writeCommit(git: Git, repository: Repository, tree: string, parent: string | null): Promise<string> {
  if (tree === emptyTree) await writeObject(git, repository, 'tree', Buffer.alloc(0));
  const nobody = 'Nobody <nobody@localhost> 0 +0000';
  const lines = [
    `tree ${tree}`,
    ...(parent === null ? [] : [`parent ${parent}`]),
    `author ${nobody}`,
    `committer ${nobody}`,
  ];
  return writeObject(git, repository, 'commit', Buffer.from(`${lines.join('\n')}\n\nSide of a merge\n`));
}
