import { join, relative, sep } from 'node:path';

/**
 * Files of `src/api` that run once more against two servers on one database: repositories, LFS and identity, and of those
 * what writes in one server and looks in the other for little; and what is for many at once. With HEARTH_TEST_PAIRS=all every file does.
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

export function isPaired(file: string): boolean {
  if (process.env.HEARTH_TEST_PAIRS === 'all') return true;
  const path = relative(api, file).split(sep);
  const name = path.pop()!.replace(/\.test\.ts$/, '');
  return PAIRED[path.join('/')]?.includes(name) ?? false;
}
