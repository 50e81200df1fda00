import { join, relative, sep } from 'node:path';

/**
 * Test files of `src/api` that also run against two servers with one database. They cover repositories, LFS, identity and
 * concurrent requests, where a write to one server must be visible in the other. HEARTH_TEST_PAIRS=all selects every file.
 */
const PAIRED: Readonly<Record<string, readonly string[]>> = {
  'identity/applications': ['delete', 'renew-secret'],
  'identity/emails': ['primary-email'],
  'identity/impersonation-tokens': ['create', 'revoke'],
  'identity/oauth': ['deleted-application', 'token-use'],
  'identity/personal-access-tokens': ['create', 'filters', 'get', 'token-reuse', 'revoke', 'rotate'],
  'identity/sign-in': ['csrf', 'sign-in', 'sign-out'],
  'identity/users': ['blocked-users', 'concurrent-creation', 'states', 'update'],
  'namespaces/members': ['row-deleted'],
  'code/branches': ['create', 'delete', 'list', 'protect'],
  'code/commits': ['create', 'get'],
  'code/git-http': ['request-body', 'push'],
  'code/lfs': ['access', 'batch', 'upload'],
  'code/protected-branches': ['update', 'create', 'unprotect'],
  'code/repository-files': ['request-bodies', 'write'],
  'pipelines/job-requests': ['assign-once'],
  'pipelines/statuses': ['concurrent-names'],
};

const api = join(import.meta.dirname, '../src/api');

/** Returns whether a test file also runs against two servers. */
export function isPaired(file: string): boolean {
  if (process.env.HEARTH_TEST_PAIRS === 'all') return true;
  const path = relative(api, file).split(sep);
  const name = path.pop()!.replace(/\.test\.ts$/, '');
  return PAIRED[path.join('/')]?.includes(name) ?? false;
}
