import type { Caller } from '#authentication/caller.ts';
import { mayInProject } from '#authorization/abilities.ts';
import type { Tier } from '#config.ts';
import type { Reader } from '#database/database.ts';
import { type EnvironmentRow, findEnvironment } from '#domain/environments.ts';
import { DEVELOPER } from '#domain/members/roles.ts';
import { type Project, roleIn } from '#domain/namespaces/projects.ts';
import type { AccessCall } from '#http/access/access.ts';
import { inProject } from '#http/access/project-access.ts';
import { forbidden, HttpError, nestedNotFound } from '#http/errors/http-error.ts';
import { required } from '#http/parameters/declarations.ts';
import { integer } from '#http/parameters/types.ts';
import { mayDestroy, mayStop } from './permissions.ts';

type Of = { readonly project: Project };

/** The environment that the path names. */
export const environment = {
  name: 'environment',
  params: { environment_id: required(integer) },
  load: ({ db, params }: AccessCall<{ readonly environment_id: number }>, { project }: Of) =>
    findEnvironment(db, project.id, params.environment_id),
  notFound: nestedNotFound,
} as const;

type Asks = (
  db: Reader,
  tier: Tier,
  caller: Caller,
  project: Project,
  environment: EnvironmentRow,
) => Promise<boolean> | boolean;

/** The same, for whom `may` lets do it to just this one. */
function environmentFor(may: Asks) {
  return {
    ...environment,
    async allow(
      { db, services, caller }: AccessCall,
      { project, environment }: Of & { readonly environment: EnvironmentRow },
    ) {
      if (!(await may(db, services.config.tier, caller, project, environment))) throw forbidden();
    },
  } as const;
}

export const environmentToStop = environmentFor(mayStop);

/** It has to be stopped first. */
export const environmentToDestroy = environmentFor(
  async (db, tier, caller, project, environment) =>
    environment.state === 'stopped' && (await mayDestroy(db, tier, caller, project, environment)),
);

const MAY_NOT = {
  message: {
    scheduled_entries: [],
    unprocessable_entries: [],
    message: 'You do not have permission to destroy environments in this project',
  },
};

/** Whoever reads them but may not destroy them is told so as clients know it; in an archived project nobody may. */
export function reviewAppsOf() {
  return inProject('read_environment')
    .require(({ caller }, { project }) => {
      if (mayInProject(caller, 'destroy_environment', project)) return;
      throw project.archived && roleIn(caller, project) >= DEVELOPER ? forbidden() : new HttpError(401, MAY_NOT);
    }, 'project:destroy_environment (401)')
    .withErrors({ mayNot: [401, MAY_NOT] });
}
