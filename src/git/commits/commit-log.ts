import { LRUCache } from 'lru-cache';
import { createBoundedCache } from '#runtime/bounded-cache.ts';
import { definePerGit, type Git } from '../git.ts';
import { coalesce } from '../process/coalesce.ts';
import { GitError } from '../process/failures.ts';
import { runGit } from '../process/spawn.ts';
import type { Repository } from '../repository.ts';
import { historyWalkLimiter } from '../trees/path-entries.ts';
import { computeMergeBase } from './ancestry.ts';

/** Start and exclusions of a history walk, as commit ids. `all` starts from every branch and tag. */
export type Revisions = 'all' | { readonly include: readonly string[]; readonly exclude?: readonly string[] };

interface ListCommitsOptions {
  revisions: Revisions;
  /** Unix seconds of the committer's date, both inclusive. */
  since?: number | undefined;
  until?: number | undefined;
  /** Only commits that changed this file or folder; taken literally. */
  path?: string;
  /** Part of `Name <email>` of the author; taken literally. */
  author?: string | undefined;
  firstParent?: boolean | undefined;
  /** Excludes merge commits. */
  noMerges?: boolean;
  /** `topo`: children come before their parents. */
  order?: 'default' | 'topo';
  skip?: number;
  /** Request one more than the page size to learn whether there is a next page. */
  limit: number;
}

/** Returns commit ids, newest first. `readCommits` returns their content. A missing repository has no commits. */
export async function listCommits(git: Git, repository: Repository, options: ListCommitsOptions): Promise<string[]> {
  const { revisions, since, until, path, author, firstParent, noMerges, order, skip, limit } = options;
  // git treats each line of a pattern as an alternative; no author has two lines.
  if (author?.includes('\n') || author?.includes('\0') || path?.includes('\0')) return [];
  if (limit <= 0) return [];
  const flags = [
    `--max-count=${limit}`,
    `--skip=${skip ?? 0}`,
    ...(since === undefined ? [] : [`--max-age=${Math.max(0, Math.ceil(since))}`]),
    ...(until === undefined ? [] : [`--min-age=${Math.max(0, Math.floor(until))}`]),
    ...(author === undefined || author === '' ? [] : ['--fixed-strings', `--author=${author}`]),
    ...(firstParent === true ? ['--first-parent'] : []),
    ...(noMerges === true ? ['--no-merges'] : []),
    ...(order === 'topo' ? ['--topo-order'] : []),
  ];
  const paths = path === undefined || path === '' ? [] : [path];
  const output = await revList(git, repository, revisions, flags, paths);
  return output.split('\n').slice(0, -1);
}

interface CountCommitsOptions {
  include: readonly string[];
  exclude?: readonly string[];
  /** Counting stops here. */
  max?: number;
}

/** Returns how many commits are reachable from `include` and not from `exclude`. */
export async function countCommits(git: Git, repository: Repository, options: CountCommitsOptions): Promise<number> {
  const { include, exclude = [], max } = options;
  if (include.length === 0) return 0;
  const flags = ['--count', ...(max === undefined ? [] : [`--max-count=${max}`])];
  return Number(await revList(git, repository, { include, exclude }, flags));
}

/** Ids are passed through standard input because there can be many. */
async function revList(
  git: Git,
  repository: Repository,
  revisions: Revisions,
  flags: readonly string[],
  paths: readonly string[] = [],
): Promise<string> {
  const startFlags = revisions === 'all' ? ['--branches', '--tags'] : ['--stdin'];
  const input = revisions === 'all' ? '' : formatRevisionLines(revisions.include, revisions.exclude ?? []);
  const invocation = { flags: [...flags, ...startFlags], paths };
  const result = await runGit(git, repository, 'rev-list', invocation, { input });
  if (result.ok) return result.stdout.toString('latin1');
  if (result.failure.kind === 'no-repository') return '';
  throw new GitError('rev-list', result.failure);
}

const ID_PATTERN = /^[0-9a-f]{40}$/;

function formatRevisionLines(include: readonly string[], exclude: readonly string[]): string {
  for (const id of [...include, ...exclude]) {
    if (!ID_PATTERN.test(id)) throw new Error(`${JSON.stringify(id)} is not an object id`);
  }
  return [...include.map((id) => `${id}\n`), ...exclude.map((id) => `^${id}\n`)].join('');
}

/** Maximum number of commits listed between two commits; the oldest are omitted. */
export const MAX_COMMITS_BETWEEN = 10_000;

// Commits never change, so results are cached per pair of ids without expiry.
const rangeCache = definePerGit(
  () => new LRUCache<string, readonly string[]>({ maxSize: 100_000, sizeCalculation: (ids) => ids.length + 1 }),
);

/**
 * Returns the ids of the commits that `to` reaches and `from` does not, oldest first. One more than
 * `MAX_COMMITS_BETWEEN` means that there are more.
 */
export async function listCommitsBetween(
  git: Git,
  repository: Repository,
  from: string,
  to: string,
): Promise<readonly string[]> {
  const key = `${repository.directory} ${from} ${to}`;
  const cached = rangeCache(git).get(key);
  if (cached !== undefined) return cached;
  const revisions = { include: [to], exclude: [from] };
  const list = () => listCommits(git, repository, { revisions, limit: MAX_COMMITS_BETWEEN + 1 });
  const newestFirst = await historyWalkLimiter(git).run(list, git);
  const ids = newestFirst.reverse();
  rangeCache(git).set(key, ids);
  return ids;
}

const countCache = definePerGit(() => createBoundedCache<number>(10_000));

/** Returns how many commits `to` reaches and `from` does not. */
export async function countCommitsBetween(git: Git, repository: Repository, from: string, to: string): Promise<number> {
  const key = `${repository.directory} ${from} ${to}`;
  const cached = countCache(git).get(key);
  if (cached !== undefined) return cached;
  return coalesce(git, `count ${key}`, async (shared) => {
    const countUncached = () => countCommits(shared, repository, { include: [to], exclude: [from] });
    const count = await historyWalkLimiter(git).run(countUncached, shared);
    countCache(git).set(key, count);
    return count;
  });
}

/** Returns a best common ancestor of all commits; null if their histories are unrelated. Cached for two commits. */
export async function findCommonAncestor(
  git: Git,
  repository: Repository,
  ids: readonly string[],
): Promise<string | null> {
  const [first, second, ...others] = new Set(ids);
  if (first === undefined || second === undefined) return first ?? null;
  if (others.length === 0) return findSharedMergeBase(git, repository, first, second);
  return historyWalkLimiter(git).run(() => computeMergeBase(git, repository, [first, second, ...others]), git);
}

const mergeBaseCache = definePerGit(() => createBoundedCache<{ readonly id: string | null }>(10_000));

/**
 * Returns a merge base of two commits; null if the histories are unrelated, so that everything in `to` is new. Cached.
 */
export async function findSharedMergeBase(
  git: Git,
  repository: Repository,
  from: string,
  to: string,
): Promise<string | null> {
  const key = `${repository.directory} ${from} ${to}`;
  const cached = mergeBaseCache(git).get(key);
  if (cached !== undefined) return cached.id;
  return coalesce(git, `merge-base ${key}`, async (shared) => {
    const id = await historyWalkLimiter(git).run(() => computeMergeBase(shared, repository, [from, to]), shared);
    mergeBaseCache(git).set(key, { id });
    return id;
  });
}
