import { createBoundedCache } from '#runtime/bounded-cache.ts';
import { definePerGit, type Git } from '../git.ts';
import type { Repository } from '../repository.ts';

/** Loads one value for each of these commits, by their ids. */
type LoadPerCommit<Value> = (
  git: Git,
  repository: Repository,
  commits: readonly string[],
) => Promise<Map<string, Value>>;

/**
 * Wraps a loader with a cache of at most `max` values (or of that total size, with `sizeOf`). Commits never change, so
 * entries do not expire. Git runs once for all uncached commits.
 */
export function cachePerCommit<Value extends {}>(
  max: number,
  load: LoadPerCommit<Value>,
  sizeOf?: (value: Value) => number,
): LoadPerCommit<Value> {
  const cache = definePerGit(() => createBoundedCache<Value>(max, sizeOf));
  return async (git, repository, commits) => {
    const toKey = (id: string): string => `${repository.directory} ${id}`;
    const cachedById = new Map(commits.map((id) => [id, cache(git).get(toKey(id))]));
    const uncached = commits.filter((id) => cachedById.get(id) === undefined);
    const loadedById = uncached.length === 0 ? new Map<string, Value>() : await load(git, repository, uncached);
    for (const [id, value] of loadedById) cache(git).set(toKey(id), value);
    return new Map(commits.map((id) => [id, loadedById.get(id) ?? cachedById.get(id)!]));
  };
}
