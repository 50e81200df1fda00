import type { SignedInCaller } from '#authentication/caller.ts';
import { requireProjectAccess } from '#authorization/current-access.ts';
import type { Columns } from '#database/database.ts';
import { type DeploymentRow, findLastDeployment } from '#domain/deployments.ts';
import { findEnvironmentByName } from '#domain/environments.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Git } from '#git/git.ts';
import { resolveRevision } from '#git/refs/revision.ts';
import { getRepository } from '#repositories/repository.ts';
import type { RefServices } from '#repositories/services.ts';
import { type Failure, type FieldErrors, fail, invalid, isFailure } from '#runtime/failure.ts';
import { environmentLockKey, findOrCreateEnvironment } from '../environment-model/index.ts';
import type { MayDeploy } from './access.ts';
import { insertDeployment } from './status-transitions.ts';

interface CreateDeploymentInput extends Columns<'deployments', 'sha' | 'ref' | 'tag' | 'status'> {
  /** Name of the environment. */
  readonly environment: string;
}

/**
 * Records a deployment that was made elsewhere (contract/environments.md Part 4). Creates the environment if it is missing.
 * Returns the last deployment if it is identical, without creating another one.
 */
export async function createDeployment(
  { database, git, runUnitOfWork }: RefServices,
  caller: SignedInCaller,
  project: Project,
  mayDeploy: MayDeploy,
  input: CreateDeploymentInput,
): Promise<DeploymentRow | Failure<'forbidden' | 'invalid'>> {
  // Git runs before the transaction. The errors are reported in it, after the permission check.
  const revisionErrors = await validateRevisions(git, project, input);
  const existingEnvironment = await findEnvironmentByName(database.reader, project.id, input.environment);
  // Requests that would create the environment are serialized too.
  const lockKey =
    existingEnvironment === null ? `environments ${project.id}` : environmentLockKey(existingEnvironment.id);
  return runUnitOfWork(caller, (uow) => createInUnitOfWork(uow, project, mayDeploy, { ...input, revisionErrors }), {
    lock: lockKey,
  });
}

async function createInUnitOfWork(
  uow: UnitOfWork<SignedInCaller>,
  { id }: Project,
  mayDeploy: MayDeploy,
  { revisionErrors, ...input }: CreateDeploymentInput & { readonly revisionErrors: FieldErrors | null },
): Promise<DeploymentRow | Failure<'forbidden' | 'invalid'>> {
  const access = await requireProjectAccess(uow, uow.actor, id, 'create_deployment');
  const { project, caller } = access;
  const environment = await findOrCreateEnvironment(uow, project, input.environment);
  if (isFailure(environment)) return environment;
  if (!(await mayDeploy(uow, access, environment))) return fail('forbidden');
  if (revisionErrors !== null) return invalid(revisionErrors);
  const lastDeployment = await findLastDeployment(uow, environment.id);
  if (lastDeployment !== null && isSameDeployment(lastDeployment, input)) return lastDeployment;
  const { ref, tag, sha, status } = input;
  const target = { projectId: project.id, environmentId: environment.id };
  return insertDeployment(uow, { ...target, ref, tag, sha, status, userId: caller.user.id });
}

const isSameDeployment = (deployment: DeploymentRow, { ref, tag, sha, status }: CreateDeploymentInput) =>
  deployment.ref === ref && deployment.tag === tag && deployment.sha === sha && deployment.status === status;

/** Returns an error for `sha`, else for `ref`, if it names no commit; null if both do. */
async function validateRevisions(
  git: Git,
  project: Project,
  { sha, ref }: CreateDeploymentInput,
): Promise<FieldErrors | null> {
  const repository = getRepository(git, project);
  if ((await resolveRevision(git, repository, sha)) === null) return { sha: ['The commit does not exist'] };
  if ((await resolveRevision(git, repository, ref)) === null) return { ref: ['The branch or tag does not exist'] };
  return null;
}
