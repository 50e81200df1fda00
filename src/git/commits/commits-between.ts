import { LRUCache } from 'lru-cache';
import { keptAtMost } from '#runtime/bounded-cache.ts';
import { type Git, ownedBy } from '../git.ts';
import { together } from '../process/coalesce.ts';
import type { Repository } from '../repository.ts';
import { walks } from '../trees/path-entries.ts';
import { mergeBase } from './ancestry.ts';
import { countCommits, listCommits } from './commit-log.ts';

/** What lies between two commits: asked once for each two of them, since neither ever changes. */

/** Of more commits than this between two the oldest are left out. */
export const MOST_COMMITS_BETWEEN = 10_000;

const ranges = ownedBy(
  () => new LRUCache<string, readonly string[]>({ maxSize: 100_000, sizeCalculation: (ids) => ids.length + 1 }),
);

/** What `to` reaches and `from` does not: ids, oldest first; one more than are shown tells that there are more. */
export async function commitsBetween(
  git: Git,
  repository: Repository,
  from: string,
  to: string,
): Promise<readonly string[]> {
  const key = `${repository.directory} ${from} ${to}`;
  const known = ranges(git).get(key);
  if (known !== undefined) return known;
  const revisions = { include: [to], exclude: [from] };
  const list = () => listCommits(git, repository, { revisions, limit: MOST_COMMITS_BETWEEN + 1 });
  const newestFirst = await walks(git).enter(list, git);
  const ids = newestFirst.reverse();
  ranges(git).set(key, ids);
  return ids;
}

const counts = ownedBy(() => keptAtMost<number>(10_000));

/** How many commits `to` reaches and `from` does not. */
export async function countBetween(git: Git, repository: Repository, from: string, to: string): Promise<number> {
  const key = `${repository.directory} ${from} ${to}`;
  const known = counts(git).get(key);
  if (known !== undefined) return known;
  return together(git, `count ${key}`, async (shared) => {
    const ask = () => countCommits(shared, repository, { include: [to], exclude: [from] });
    const count = await walks(git).enter(ask, shared);
    counts(git).set(key, count);
    return count;
  });
}

/** A best common ancestor of all of them; null: their histories are unrelated. */
export async function commonAncestor(git: Git, repository: Repository, ids: readonly string[]): Promise<string | null> {
  const [first, second, ...others] = new Set(ids);
  if (first === undefined || second === undefined) return first ?? null;
  if (others.length === 0) return partingOf(git, repository, first, second);
  return walks(git).enter(() => mergeBase(git, repository, [first, second, ...others]), git);
}

const partings = ownedBy(() => keptAtMost<{ readonly id: string | null }>(10_000));

/** Where two parted, a merge base; null: the histories are unrelated, so that everything in `to` is new. */
export async function partingOf(git: Git, repository: Repository, from: string, to: string): Promise<string | null> {
  const key = `${repository.directory} ${from} ${to}`;
  const known = partings(git).get(key);
  if (known !== undefined) return known.id;
  return together(git, `parting ${key}`, async (shared) => {
    const id = await walks(git).enter(() => mergeBase(shared, repository, [from, to]), shared);
    partings(git).set(key, { id });
    return id;
  });
}
