import type { SignedInCaller } from '#authentication/caller.ts';
import { stillInProject } from '#authorization/current-access.ts';
import type { DeploymentStatus } from '#database/tables/environments.ts';
import { type DeploymentRow, lastDeployment } from '#domain/deployments.ts';
import { environmentNamed } from '#domain/environments.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Git } from '#git/git.ts';
import { resolveRevision } from '#git/refs/revision.ts';
import { repositoryOf } from '#repositories/repository.ts';
import type { RefServices } from '#repositories/services.ts';
import { type Failure, type FieldErrors, fail, invalid, isFailure } from '#runtime/failure.ts';
import { environmentFor, environmentTurn } from '../environment-model/index.ts';
import type { MayDeploy } from './access.ts';
import { addDeployment } from './status-transitions.ts';

interface Reported {
  /** The environment's name. */
  readonly environment: string;
  readonly sha: string;
  readonly ref: string;
  readonly tag: boolean;
  readonly status: DeploymentStatus;
}

/**
 * Takes a deployment down that somebody has made elsewhere (contract/environments.md Part 4); the environment is made when
 * there is none of this name. What is the environment's last deployment already, word for word, is that one.
 */
export async function createDeployment(
  { database, git, runUnitOfWork }: RefServices,
  caller: SignedInCaller,
  project: Project,
  mayDeploy: MayDeploy,
  reported: Reported,
): Promise<DeploymentRow | Failure<'forbidden' | 'invalid'>> {
  const wrong = await missingRevision(git, project, reported);
  const known = await environmentNamed(database.reader, project.id, reported.environment);
  // Those who would make it come one after another too.
  const turn = known === null ? `environments ${project.id}` : environmentTurn(known.id);
  return runUnitOfWork(caller, (uow) => create(uow, project, mayDeploy, { ...reported, wrong }), { turn });
}

async function create(
  uow: UnitOfWork<SignedInCaller>,
  { id }: Project,
  mayDeploy: MayDeploy,
  { wrong, ...reported }: Reported & { readonly wrong: FieldErrors | null },
): Promise<DeploymentRow | Failure<'forbidden' | 'invalid'>> {
  const standing = await stillInProject(uow, uow.actor, id, 'create_deployment');
  const { project, caller } = standing;
  const environment = await environmentFor(uow, project, reported.environment);
  if (isFailure(environment)) return environment;
  if (!(await mayDeploy(uow, standing, environment))) return fail('forbidden');
  if (wrong !== null) return invalid(wrong);
  const last = await lastDeployment(uow, environment.id);
  if (last !== null && isSame(last, reported)) return last;
  const { ref, tag, sha, status } = reported;
  const place = { projectId: project.id, environmentId: environment.id };
  return addDeployment(uow, { ...place, ref, tag, sha, status, userId: caller.user.id });
}

const isSame = (last: DeploymentRow, { ref, tag, sha, status }: Reported) =>
  last.ref === ref && last.tag === tag && last.sha === sha && last.status === status;

/** What of it names no commit: the first of both. */
async function missingRevision(git: Git, project: Project, { sha, ref }: Reported): Promise<FieldErrors | null> {
  const repository = repositoryOf(git, project);
  if ((await resolveRevision(git, repository, sha)) === null) return { sha: ['The commit does not exist'] };
  if ((await resolveRevision(git, repository, ref)) === null) return { ref: ['The branch or tag does not exist'] };
  return null;
}
