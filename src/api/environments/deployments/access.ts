import type { SignedInCaller } from '#authentication/caller.ts';
import { mayInProject } from '#authorization/abilities.ts';
import type { CurrentAccess } from '#authorization/current-access.ts';
import { mayDeployToEnvironment } from '#authorization/protected-environments/deployment-rules.ts';
import type { Tier } from '#config.ts';
import type { Reader } from '#database/database.ts';
import { type DeploymentRow, findDeployment } from '#domain/deployments.ts';
import { type EnvironmentRow, findEnvironment } from '#domain/environments.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Access, AccessCall } from '#http/access/access.ts';
import { inProject } from '#http/access/project-access.ts';
import { forbidden, genericNotFound } from '#http/errors/http-error.ts';
import { required } from '#http/parameters/declarations.ts';
import { integer } from '#http/parameters/types.ts';

// Access to deployments (contract/environments.md "Rights").

/** Loads the deployment of the path. */
const deploymentResource = {
  name: 'deployment',
  params: { deployment_id: required(integer) },
  load: ({ db, params }: AccessCall<{ readonly deployment_id: number }>, { project }: { readonly project: Project }) =>
    findDeployment(db, project.id, params.deployment_id),
  notFound: genericNotFound,
} as const;

type DeploymentAccess = Access<
  { project: Project; caller: SignedInCaller } & { readonly deployment: DeploymentRow },
  typeof deploymentResource.params
>;

/** Admits callers who may read deployments of the project. */
export function readDeploymentAccess(): DeploymentAccess {
  return inProject('read_deployment').resource(deploymentResource);
}

/** Admits callers with the ability who may deploy to the deployment's environment. A missing deployment gives 404, not 403. */
export function updateDeploymentAccess(ability: 'update_deployment' | 'destroy_deployment'): DeploymentAccess {
  return inProject('find_deployment')
    .resource(deploymentResource)
    .require(async ({ db, services }, { project, caller, deployment }) => {
      const hasAbility = mayInProject(caller, ability, project);
      if (!hasAbility || !(await mayDeployToItsEnvironment(db, services.config.tier, caller, project, deployment)))
        throw forbidden();
    })
    .withLabel(`project:${ability} + may deploy there`);
}

/** Returns whether the environment exists and the caller may deploy to it. */
async function mayDeployToItsEnvironment(
  db: Reader,
  tier: Tier,
  caller: SignedInCaller,
  project: Project,
  { environment_id }: DeploymentRow,
): Promise<boolean> {
  const environment = await findEnvironment(db, project.id, environment_id);
  return environment !== null && mayDeployToEnvironment(db, tier, caller, project, environment);
}

/** Deferred check of whether the caller may deploy to the environment in the body. It runs in the unit of work. */
const MAY_DEPLOY = {
  name: 'mayDeploy',
  label: 'may deploy there',
  createCheck:
    () =>
    (uow: UnitOfWork, { caller, project }: CurrentAccess, environment: EnvironmentRow) =>
      mayDeployToEnvironment(uow, uow.tier, caller, project, environment),
} as const;

export type MayDeploy = ReturnType<typeof MAY_DEPLOY.createCheck>;

/** Admits Developers who may deploy to the environment that they name. */
export function createDeploymentAccess() {
  return inProject('create_deployment').deferred(MAY_DEPLOY);
}
