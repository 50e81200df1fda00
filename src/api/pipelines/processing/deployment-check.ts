import { type DeployJob, findBlockedJobs } from '#authorization/protected-environments/deployment-jobs.ts';
import { type EnvironmentRow, findEnvironmentsByNames } from '#domain/environments.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type PipelineOfJobs, transitionJobs } from './job-transitions.ts';
import type { ProcessedJob } from './store.ts';

// Checks before a job with an environment starts (contract/environments.md Part 5): whether the environment exists,
// whether the job's user may deploy to it, and whether the deployment is approved. Jobs without an environment are not
// checked.

/** `waiting`: the job waits for approvals as a manual job. Otherwise the failure reason. */
export type DeploymentBlock = 'waiting' | 'protected_environment_failure' | 'environment_creation_failure';

const NONE_BLOCKED: ReadonlyMap<number, DeploymentBlock> = new Map();

type CheckedJob = Pick<ProcessedJob, 'id' | 'environment' | 'user_id'>;

/** Returns why jobs of one pipeline may not start, by job id. Jobs that may start are omitted. */
export async function findBlockedDeployments(
  uow: UnitOfWork,
  pipeline: PipelineOfJobs,
  jobs: readonly CheckedJob[],
): Promise<ReadonlyMap<number, DeploymentBlock>> {
  const deployJobs = jobs.filter(hasEnvironment);
  if (deployJobs.length === 0) return NONE_BLOCKED;
  const environments = await findOrCreateEnvironments(uow, pipeline, deployJobs);
  const jobsWithEnvironment = deployJobs.filter(({ environment }) => environments.has(environment));
  const blockReasons = await findBlockedJobs(uow, uow.tier, pipeline.project_id, jobsWithEnvironment, environments);
  return new Map(
    deployJobs.flatMap(({ id, environment }): [number, DeploymentBlock][] => {
      if (!environments.has(environment)) return [[id, 'environment_creation_failure']];
      const reason = blockReasons.get(id);
      return reason === undefined ? [] : [[id, reason === 'waiting' ? reason : 'protected_environment_failure']];
    }),
  );
}

/** Creates the missing environments of new jobs. A job whose environment cannot be created fails. */
export async function createEnvironmentsForJobs(
  uow: UnitOfWork,
  pipeline: PipelineOfJobs,
  jobs: readonly CheckedJob[],
): Promise<void> {
  const deployJobs = jobs.filter(hasEnvironment);
  if (deployJobs.length === 0) return;
  const environments = await findOrCreateEnvironments(uow, pipeline, deployJobs);
  const withoutEnvironment = deployJobs.filter(({ environment }) => !environments.has(environment));
  await transitionJobs(uow, pipeline, withoutEnvironment, 'failed', { failure_reason: 'environment_creation_failure' });
}

function hasEnvironment<Job extends CheckedJob>(job: Job): job is Job & DeployJob {
  return job.environment !== null;
}

/** Returns the environments of these jobs by name. Creates missing ones if their names are valid. */
async function findOrCreateEnvironments(
  uow: UnitOfWork,
  { project_id: projectId, pipeline_id: pipelineId }: PipelineOfJobs,
  jobs: readonly DeployJob[],
): Promise<ReadonlyMap<string, EnvironmentRow>> {
  const findEnvironments = () =>
    findEnvironmentsByNames(uow, projectId, [...new Set(jobs.map(({ environment }) => environment))]);
  const environments = await findEnvironments();
  const withoutEnvironment = jobs.filter(({ environment }) => !environments.has(environment));
  if (withoutEnvironment.length === 0) return environments;
  const jobIds = withoutEnvironment.map(({ id }) => id);
  // A subscriber creates the environments in this transaction.
  await uow.publish('deployment-jobs-created', { projectId, pipelineId, jobIds });
  return findEnvironments();
}
