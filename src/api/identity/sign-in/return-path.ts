/**
 * Where a sign-in leads: to the page that asked for it, or home. Only a path of this server will do; what a browser could
 * take for another host (`//evil.test`, `/\evil.test`) is not one.
 */
export function returnPath(asked: string | null): string {
  return asked !== null && /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(asked) ? asked : '/';
}
