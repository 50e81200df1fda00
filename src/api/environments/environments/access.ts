import type { Caller } from '#authentication/caller.ts';
import { mayInProject } from '#authorization/abilities.ts';
import type { Tier } from '#config.ts';
import type { Reader } from '#database/database.ts';
import { type EnvironmentRow, findEnvironment } from '#domain/environments.ts';
import { DEVELOPER } from '#domain/members/roles.ts';
import { getProjectRole, type Project } from '#domain/namespaces/projects.ts';
import type { AccessCall } from '#http/access/access.ts';
import { inProject } from '#http/access/project-access.ts';
import { forbidden, genericNotFound, HttpError } from '#http/errors/http-error.ts';
import { required } from '#http/parameters/declarations.ts';
import { integer } from '#http/parameters/types.ts';
import { mayDeleteEnvironment, mayStopEnvironment } from './permissions.ts';

type ProjectContext = { readonly project: Project };

/** Loads the environment of the path. */
export const environmentResource = {
  name: 'environment',
  params: { environment_id: required(integer) },
  load: ({ db, params }: AccessCall<{ readonly environment_id: number }>, { project }: ProjectContext) =>
    findEnvironment(db, project.id, params.environment_id),
  notFound: genericNotFound,
} as const;

type EnvironmentCheck = (
  db: Reader,
  tier: Tier,
  caller: Caller,
  project: Project,
  environment: EnvironmentRow,
) => Promise<boolean> | boolean;

/** Loads the environment in the path. Callers who do not pass the check get 403. */
function environmentResourceFor(check: EnvironmentCheck) {
  return {
    ...environmentResource,
    async authorize(
      { db, services, caller }: AccessCall,
      { project, environment }: ProjectContext & { readonly environment: EnvironmentRow },
    ) {
      if (!(await check(db, services.config.tier, caller, project, environment))) throw forbidden();
    },
  } as const;
}

/** The caller must have the right to stop the environment. */
export const stoppableEnvironment = environmentResourceFor(mayStopEnvironment);

/** The environment must be stopped, and the caller must have the right to delete it. */
export const deletableEnvironment = environmentResourceFor(
  async (db, tier, caller, project, environment) =>
    environment.state === 'stopped' && (await mayDeleteEnvironment(db, tier, caller, project, environment)),
);

const NOT_PERMITTED = {
  message: {
    scheduled_entries: [],
    unprocessable_entries: [],
    message: 'You do not have permission to destroy environments in this project',
  },
};

/** Admits callers who may delete environments. Others get the 401 that clients expect; in an archived project Developers get 403. */
export function deleteReviewAppsAccess() {
  return inProject('read_environment')
    .require(({ caller }, { project }) => {
      if (mayInProject(caller, 'destroy_environment', project)) return;
      throw project.archived && getProjectRole(caller, project) >= DEVELOPER
        ? forbidden()
        : new HttpError(401, NOT_PERMITTED);
    })
    .withLabel('project:destroy_environment (401)')
    .withErrors({ notPermitted: [401, NOT_PERMITTED] });
}
