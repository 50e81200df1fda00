import { keptAtMost } from '#runtime/bounded-cache.ts';
import { type Git, ownedBy } from '../git.ts';
import type { Repository } from '../repository.ts';

/** Something of each of these commits, by their ids. */
type OfCommits<Value> = (git: Git, repository: Repository, commits: readonly string[]) => Promise<Map<string, Value>>;

/**
 * Remembers what is asked of commits, `max` of them, or what is so large together: a commit never changes. Git is asked
 * once for all that are new.
 */
export function rememberedOfCommits<Value extends {}>(
  max: number,
  ask: OfCommits<Value>,
  sizeOf?: (value: Value) => number,
): OfCommits<Value> {
  const known = ownedBy(() => keptAtMost<Value>(max, sizeOf));
  return async (git, repository, commits) => {
    const keyOf = (id: string): string => `${repository.directory} ${id}`;
    const before = new Map(commits.map((id) => [id, known(git).get(keyOf(id))]));
    const wanted = commits.filter((id) => before.get(id) === undefined);
    const found = wanted.length === 0 ? new Map<string, Value>() : await ask(git, repository, wanted);
    for (const [id, value] of found) known(git).set(keyOf(id), value);
    return new Map(commits.map((id) => [id, found.get(id) ?? before.get(id)!]));
  };
}
