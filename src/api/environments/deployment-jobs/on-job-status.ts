import type { DeploymentStatus, JobStatus } from '#database/schema.ts';
import type { EventPayloads } from '#events/domain-events.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { isFailure } from '#runtime/failure.ts';
import { insertDeployment, setDeploymentStatusOfJobs } from '../deployments/index.ts';
import { findOrCreateEnvironment } from '../environment-model/index.ts';
import { toNewEnvironment } from './create-environments.ts';
import { updateEnvironmentAfterSuccess } from './on-job-success.ts';
import { type DeployingJob, filterWithoutDeployment, loadDeployingJobs } from './store.ts';

/**
 * Updates of deployments after status changes of their jobs (contract/environments.md Part 5). A deployment is created when
 * its job leaves `created`, unless the job was canceled.
 */

/** The deployment status for each job status; null keeps the deployment unchanged. */
export const DEPLOYMENT_STATUS: Readonly<Record<JobStatus, DeploymentStatus | null>> = {
  created: 'created',
  waiting_for_resource: null,
  preparing: null,
  waiting_for_callback: null,
  pending: null,
  scheduled: null,
  manual: 'blocked',
  running: 'running',
  success: 'success',
  failed: 'failed',
  canceling: null,
  canceled: 'canceled',
  skipped: 'skipped',
};

/** Job statuses for which no deployment is created. */
const NOT_STARTED_STATUSES: readonly JobStatus[] = ['created', 'canceling', 'canceled'];

/** Updates the deployments of the jobs, creates missing ones and, after a success, updates the environments. */
export async function onJobStatusChanged(
  uow: UnitOfWork,
  { projectId, jobIds, to }: EventPayloads['job-status-changed'],
): Promise<void> {
  const jobs = await loadDeployingJobs(uow, jobIds);
  // Jobs with another action, such as `stop` or `verify`, create no deployment.
  const deployingJobs = jobs.filter(({ environmentOptions }) => (environmentOptions?.action ?? 'start') === 'start');
  const status = DEPLOYMENT_STATUS[to];
  if (status !== null && deployingJobs.length > 0) await setDeploymentStatusOfJobs(uow, toIds(deployingJobs), status);
  if (!NOT_STARTED_STATUSES.includes(to))
    await createMissingDeployments(uow, projectId, deployingJobs, status ?? 'created');
  if (to === 'success') for (const job of jobs) await updateEnvironmentAfterSuccess(uow, projectId, job);
}

async function createMissingDeployments(
  uow: UnitOfWork,
  projectId: number,
  jobs: readonly DeployingJob[],
  status: DeploymentStatus,
): Promise<void> {
  for (const job of await filterWithoutDeployment(uow, jobs)) {
    const environment = await findOrCreateEnvironment(uow, { id: projectId }, job.name, toNewEnvironment(uow, job));
    // The environment name is invalid, and the job has failed for that reason.
    if (isFailure(environment)) continue;
    await insertDeployment(uow, {
      projectId,
      environmentId: environment.id,
      ref: job.ref,
      tag: job.tag,
      sha: job.sha,
      userId: job.user_id,
      jobId: job.id,
      onStop: job.environmentOptions?.on_stop ?? null,
      status,
    });
  }
}

function toIds(jobs: readonly DeployingJob[]): number[] {
  return jobs.map(({ id }) => id);
}
