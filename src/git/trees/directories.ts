import { createYielder } from '#runtime/yielding.ts';

/**
 * Returns the directories of the paths without duplicates, parents first: `''`, `a/`, `a/b/` for `a/b/c`. Null if there are more
 * than `limit`. Yields to the event loop.
 */
export async function listDirectories(
  paths: readonly string[],
  limit = Number.POSITIVE_INFINITY,
): Promise<Set<string> | null> {
  const yieldIfDue = createYielder();
  const directories = new Set(['']);
  for (const path of paths) {
    await yieldIfDue();
    for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1))
      directories.add(path.slice(0, slash + 1));
    if (directories.size > limit) return null;
  }
  return directories;
}
