import type { Caller, SignedInCaller } from '#authentication/caller.ts';
import { findUser, readUser, type User } from '#authentication/users/users.ts';
import { mayInProject } from '#authorization/abilities.ts';
import type { Reader } from '#database/database.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { namedBy } from '#domain/namespaces/routes.ts';
import { type Access, type AccessCall, administratorLate, open } from '#http/access/access.ts';
import { inProject } from '#http/access/project-access.ts';
import { forbidden, notFound } from '#http/errors/http-error.ts';

/** Maintainers change a project's attributes; whoever sends its visibility must be an Owner. */
export function updatingProject(): Access<{ project: Project; caller: SignedInCaller }> {
  return inProject('update_project').require(({ params, caller }, { project }) => {
    const changesVisibility = params.visibility !== undefined && params.visibility !== null;
    if (changesVisibility && !mayInProject(caller, 'change_visibility', project)) throw forbidden();
  }, 'project:update_project (visibility: change_visibility)');
}

/** Anybody; the user in the path, by id or name, is there. */
export function ofUser(): Access<{ caller: Caller; user: User }> {
  return open().resource(user);
}

/** Administrators, on behalf of the user in the path. */
export function forUser(): Access<{ caller: SignedInCaller; user: User }> {
  return administratorLate().resource(user);
}

const user = {
  name: 'user',
  load: ({ db, path }: AccessCall) => userNamed(db, path.user_id ?? ''),
  notFound: () => notFound('User'),
} as const;

async function userNamed(db: Reader, idOrName: string): Promise<User | null> {
  const named = namedBy(idOrName);
  if (named === null) return null;
  return 'id' in named ? readUser(db, named.id) : findUser(db, idOrName);
}
