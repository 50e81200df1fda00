/** Collapses repeated slashes of a path and drops a trailing one: real clients send `/features/` and `//features`. */
export function collapseSlashes(path: string): string {
  const collapsed = path.includes('//') ? path.replace(/\/{2,}/g, '/') : path;
  return collapsed.length > 1 && collapsed.endsWith('/') ? collapsed.slice(0, -1) : collapsed;
}
