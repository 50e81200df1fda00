/** A path without the slashes at both its ends. By hand: `/\/+$/` tries every slash of `x///…x` anew. */
export function withoutSlashes(path: string): string {
  let [start, end] = [0, path.length];
  while (path[start] === '/') start += 1;
  while (end > start && path[end - 1] === '/') end -= 1;
  return path.slice(start, end);
}
