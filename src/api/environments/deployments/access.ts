import type { SignedInCaller } from '#authentication/caller.ts';
import { mayInProject } from '#authorization/abilities.ts';
import type { Standing } from '#authorization/current-access.ts';
import { mayDeployToEnvironment } from '#authorization/protected-environments/deployment-rules.ts';
import type { Tier } from '#config.ts';
import type { Reader } from '#database/database.ts';
import { type DeploymentRow, findDeployment } from '#domain/deployments.ts';
import { type EnvironmentRow, findEnvironment } from '#domain/environments.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Access, AccessCall } from '#http/access/access.ts';
import { inProject } from '#http/access/project-access.ts';
import { forbidden, nestedNotFound } from '#http/errors/http-error.ts';
import { required } from '#http/parameters/declarations.ts';
import { integer } from '#http/parameters/types.ts';

/** Who reads deployments, and who changes them (contract/environments.md "Rights"). */

/** The deployment that the path names. */
const deployment = {
  name: 'deployment',
  params: { deployment_id: required(integer) },
  load: ({ db, params }: AccessCall<{ readonly deployment_id: number }>, { project }: { readonly project: Project }) =>
    findDeployment(db, project.id, params.deployment_id),
  notFound: nestedNotFound,
} as const;

type OnDeployment = Access<
  { project: Project; caller: SignedInCaller } & { readonly deployment: DeploymentRow },
  typeof deployment.params
>;

export function readingDeployment(): OnDeployment {
  return inProject('read_deployment').resource(deployment);
}

/** Whoever may in the project, and may deploy to the environment. What is not there is said to all who see the project. */
export function changingDeployment(ability: 'update_deployment' | 'destroy_deployment'): OnDeployment {
  return inProject('find_deployment')
    .resource(deployment)
    .require(async ({ db, caller, services }, { project, deployment }) => {
      const may = mayInProject(caller, ability, project);
      if (!may || !(await mayDeployWhere(db, services.config.tier, caller as SignedInCaller, project, deployment))) {
        throw forbidden();
      }
    }, `project:${ability} + may deploy there`);
}

/** Is the environment there still, and may he deploy to it? */
async function mayDeployWhere(
  db: Reader,
  tier: Tier,
  caller: SignedInCaller,
  project: Project,
  { environment_id }: DeploymentRow,
): Promise<boolean> {
  const environment = await findEnvironment(db, project.id, environment_id);
  return environment !== null && mayDeployToEnvironment(db, tier, caller, project, environment);
}

/** To the environment that the body names: asked in the act that deploys, of how the caller stands there. */
const DEPLOYING_THERE = {
  name: 'mayDeploy',
  label: 'may deploy there',
  question:
    () =>
    (uow: UnitOfWork, { caller, project }: Standing, environment: EnvironmentRow) =>
      mayDeployToEnvironment(uow, uow.tier, caller, project, environment),
} as const;

export type MayDeploy = ReturnType<typeof DEPLOYING_THERE.question>;

/** Developers who may deploy to the environment that they name. */
export function creatingDeployment() {
  return inProject('create_deployment').deferred(DEPLOYING_THERE);
}
