/**
 * Returns the path to redirect to after a sign-in, or `/` if it is missing or unsafe: browsers would treat `//evil.test` and
 * `/\evil.test` as another host.
 */
export function toSafeReturnPath(path: string | null): string {
  return path !== null && /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(path) ? path : '/';
}
