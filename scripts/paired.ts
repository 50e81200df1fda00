import { join, relative, sep } from 'node:path';

/**
 * Files of `src/api` that run once more against two servers on one database: repositories, LFS and identity, and of those
 * what writes in one server and looks in the other for little; and what is for many at once. With HEARTH_TEST_PAIRS=all every file does.
 */
const PAIRED: Readonly<Record<string, readonly string[]>> = {
  'identity/applications': ['delete', 'renew'],
  'identity/emails': ['primary'],
  'identity/impersonation-tokens': ['create', 'revoke'],
  'identity/oauth': ['removed-application', 'tokens'],
  'identity/personal-access-tokens': ['create', 'narrowed', 'read', 'reuse', 'revoke', 'rotate'],
  'identity/sign-in': ['protect', 'sign-in', 'sign-out'],
  'identity/users': ['barred', 'created-at-once', 'states', 'update'],
  'places/members': ['gone'],
  'code/branches': ['create', 'delete', 'list', 'protect'],
  'code/commits': ['create', 'read'],
  'code/git-http': ['body', 'push'],
  'code/lfs': ['access', 'batch', 'upload'],
  'code/protected-branches': ['change', 'create', 'unprotect'],
  'code/repository-files': ['bodies', 'write'],
  'pipelines/job-requests': ['once'],
  'pipelines/statuses': ['many'],
};

const api = join(import.meta.dirname, '../src/api');

export function isPaired(file: string): boolean {
  if (process.env.HEARTH_TEST_PAIRS === 'all') return true;
  const path = relative(api, file).split(sep);
  const name = path.pop()!.replace(/\.test\.ts$/, '');
  return PAIRED[path.join('/')]?.includes(name) ?? false;
}
