import { LRUCache } from 'lru-cache';
import { createBoundedCache } from '#runtime/bounded-cache.ts';
import { definePerGit, type Git } from '../git.ts';
import { coalesce } from '../process/coalesce.ts';
import type { Repository } from '../repository.ts';
import { historyWalkLimiter } from '../trees/path-entries.ts';
import { computeMergeBase } from './ancestry.ts';
import { countCommits, listCommits } from './commit-log.ts';

/** Commits between two commits. Results are cached per pair of ids, because commits never change. */

/** Maximum number of commits listed between two commits; the oldest are omitted. */
export const MAX_COMMITS_BETWEEN = 10_000;

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
