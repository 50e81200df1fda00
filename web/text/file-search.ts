/** Returns the paths that match a search text: its characters must occur in order. Better matches come first. */
export function findPaths(paths: readonly string[], text: string, limit: number): readonly string[] {
  const wanted = text.toLowerCase().replace(/\s+/g, '');
  if (wanted === '') return paths.slice(0, limit);
  return paths
    .flatMap((path) => {
      const rank = rankPath(path.toLowerCase(), wanted);
      return rank === null ? [] : [{ path, rank }];
    })
    .sort((a, b) => a.rank - b.rank || a.path.length - b.path.length || (a.path < b.path ? -1 : 1))
    .slice(0, limit)
    .map(({ path }) => path);
}

/** Returns 0 for the beginning of the name, then for its middle, for the path, and for scattered characters; null without a match. */
function rankPath(path: string, wanted: string): number | null {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (name.startsWith(wanted)) return 0;
  if (name.includes(wanted)) return 1;
  if (path.includes(wanted)) return 2;
  let position = -1;
  for (const character of wanted) {
    position = path.indexOf(character, position + 1);
    if (position === -1) return null;
  }
  return 3;
}
