import type { DeploymentStatus } from '#database/tables/environments.ts';
import type { JobStatus } from '#database/tables/pipelines.ts';
import type { EventPayloads } from '#events/domain-events.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { isFailure } from '#runtime/failure.ts';
import { addDeployment, changeDeploymentsOf } from '../deployments/index.ts';
import { environmentFor } from '../environment-model/index.ts';
import { wishOf } from './create-environments.ts';
import { actAfterSuccess } from './on-job-success.ts';
import { type DeployingJob, deployingJobs, withoutDeployment } from './store.ts';

/**
 * Deployments go where their jobs go (contract/environments.md Part 5). A job that deploys gets its deployment when its turn
 * comes, whatever becomes of it then; one that was canceled before has none.
 */

/** The status of the deployment of a job that has come to this one; null: it stays what it is. */
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

/** Its turn has not come, or comes no more. */
const WITHOUT_TURN: readonly JobStatus[] = ['created', 'canceling', 'canceled'];

export async function followJobs(
  uow: UnitOfWork,
  { projectId, jobIds, to }: EventPayloads['jobs-stepped'],
): Promise<void> {
  const jobs = await deployingJobs(uow, jobIds);
  const deploying = jobs.filter(({ said }) => (said?.action ?? 'start') === 'start');
  const status = DEPLOYMENT_STATUS[to];
  if (status !== null && deploying.length > 0) await changeDeploymentsOf(uow, idsOf(deploying), status);
  if (!WITHOUT_TURN.includes(to)) await addMissing(uow, projectId, deploying, status ?? 'created');
  if (to === 'success') for (const job of jobs) await actAfterSuccess(uow, projectId, job);
}

async function addMissing(
  uow: UnitOfWork,
  projectId: number,
  jobs: readonly DeployingJob[],
  status: DeploymentStatus,
): Promise<void> {
  for (const job of await withoutDeployment(uow, jobs)) {
    const environment = await environmentFor(uow, { id: projectId }, job.name, wishOf(uow, job));
    // No environment can have this name: the job has failed.
    if (isFailure(environment)) continue;
    await addDeployment(uow, {
      projectId,
      environmentId: environment.id,
      ref: job.ref,
      tag: job.tag,
      sha: job.sha,
      userId: job.user_id,
      jobId: job.id,
      onStop: job.said?.on_stop ?? null,
      status,
    });
  }
}

function idsOf(jobs: readonly DeployingJob[]): number[] {
  return jobs.map(({ id }) => id);
}
