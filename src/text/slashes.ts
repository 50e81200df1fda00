/** Collapses repeated slashes of a path and drops a trailing one: real clients send `/features/` and `//features`. */
export function collapseSlashes(path: string): string {
  const collapsedPath = path.includes('//') ? path.replace(/\/{2,}/g, '/') : path;
  return collapsedPath.length > 1 && collapsedPath.endsWith('/') ? collapsedPath.slice(0, -1) : collapsedPath;
}
