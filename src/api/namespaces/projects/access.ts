import type { Caller, SignedInCaller } from '#authentication/caller.ts';
import { findUserById, findUserByUsername, type User } from '#authentication/users/users.ts';
import { mayInProject } from '#authorization/abilities.ts';
import type { Reader } from '#database/database.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { parseIdOrPath } from '#domain/namespaces/routes.ts';
import { type Access, type AccessCall, administratorAfterParameters, open } from '#http/access/access.ts';
import { inProject } from '#http/access/project-access.ts';
import { forbidden, notFound } from '#http/errors/http-error.ts';

/** Admits Maintainers, and only Owners if the request changes the visibility. */
export function updateProjectAccess(): Access<{ project: Project; caller: SignedInCaller }> {
  return inProject('update_project')
    .require(({ params, caller }, { project }) => {
      const changesVisibility = params.visibility !== undefined && params.visibility !== null;
      if (changesVisibility && !mayInProject(caller, 'change_visibility', project)) throw forbidden();
    })
    .withLabel('project:update_project (visibility: change_visibility)');
}

/** Admits everybody, and loads the user that the path names by id or username. */
export function userAccess(): Access<{ caller: Caller; user: User }> {
  return open().resource(user);
}

/** Admits administrators, and loads the user that the path names, on whose behalf they act. */
export function onBehalfOfUserAccess(): Access<{ caller: SignedInCaller; user: User }> {
  return administratorAfterParameters().resource(user);
}

const user = {
  name: 'user',
  load: ({ db, path }: AccessCall) => findUserByIdOrName(db, path.user_id ?? ''),
  notFound: () => notFound('User'),
} as const;

async function findUserByIdOrName(db: Reader, idOrName: string): Promise<User | null> {
  const parsedIdOrName = parseIdOrPath(idOrName);
  if (parsedIdOrName === null) return null;
  return 'id' in parsedIdOrName ? findUserById(db, parsedIdOrName.id) : findUserByUsername(db, idOrName);
}
