import type { DeploymentStatus, EnvironmentTier, JobStatus } from '#database/schema.ts';
import { type EnvironmentRow, findEnvironmentByName } from '#domain/environments.ts';
import type { EventPayloads } from '#events/domain-events.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { addMilliseconds } from '#runtime/clock.ts';
import { isFailure } from '#runtime/failure.ts';
import { parsePositiveSeconds } from '#text/durations.ts';
import { insertDeployment, setDeploymentStatusOfJobs } from '../deployments/index.ts';
import {
  ENVIRONMENT_TIERS,
  type EnvironmentPatch,
  findOrCreateEnvironment,
  setEnvironmentState,
  updateEnvironmentRow,
  validateExternalUrl,
} from '../environment-model/index.ts';
import { type DeployingJob, filterWithoutDeployment, findAutoStopOfLastJob, loadDeployingJobs } from './store.ts';

// Updates of deployments after status changes of their jobs (contract/environments.md Part 5). A deployment is created when
// its job leaves `created`, unless the job was canceled.

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

/**
 * Updates the environment of a successful job (contract/environments.md Part 5). Its deployment makes a stopped environment
 * available again.
 */
async function updateEnvironmentAfterSuccess(uow: UnitOfWork, projectId: number, job: DeployingJob): Promise<void> {
  const environment = await findEnvironmentByName(uow, projectId, job.name);
  if (environment === null) return;
  if (job.environmentOptions?.action === 'stop') {
    await setEnvironmentState(uow, environment.id, 'stopped');
    return;
  }
  await updateEnvironmentRow(uow, environment, await createEnvironmentPatch(uow, environment, job));
}

async function createEnvironmentPatch(
  uow: UnitOfWork,
  environment: EnvironmentRow,
  { environmentOptions, environment_url }: DeployingJob,
): Promise<EnvironmentPatch> {
  const toAutoStopPatch = (autoStopIn: string | null | undefined): EnvironmentPatch =>
    autoStopIn == null ? {} : { auto_stop_at: toAutoStopTime(uow.now, autoStopIn) };
  switch (environmentOptions?.action) {
    case 'prepare':
    case 'access':
      return toAutoStopPatch(environmentOptions.auto_stop_in ?? (await findAutoStopOfLastJob(uow, environment.id)));
    case 'verify':
      return toAutoStopPatch(environmentOptions.auto_stop_in);
    default: {
      const tier = getRequestedTier(environmentOptions);
      // Invalid URLs are ignored.
      const hasValidUrl = environment_url !== null && validateExternalUrl(environment_url).length === 0;
      return {
        ...(hasValidUrl ? { external_url: environment_url || null } : {}),
        ...(tier === undefined ? {} : { tier }),
        ...toAutoStopPatch(environmentOptions?.auto_stop_in),
      };
    }
  }
}

/**
 * Creates the missing environments that jobs name, each with the options of its first job (contract/environments.md Part 5).
 * Invalid names are skipped; their jobs fail later.
 */
export async function createJobEnvironments(
  uow: UnitOfWork,
  { projectId, jobIds }: EventPayloads['deployment-jobs-created'],
): Promise<void> {
  const jobs = await loadDeployingJobs(uow, jobIds);
  // The last entry of a name wins, so the reversed order selects its first job.
  const firstJobByName = new Map(jobs.toReversed().map((job) => [job.name, job]));
  // A fixed order prevents deadlocks.
  for (const [name, job] of [...firstJobByName].sort(([a], [b]) => (a < b ? -1 : 1))) {
    await findOrCreateEnvironment(uow, { id: projectId }, name, toNewEnvironment(uow, job));
  }
}

/** Returns the attributes of a new environment from the options of its job. */
function toNewEnvironment({ now }: UnitOfWork, { environmentOptions }: DeployingJob) {
  return {
    tier: getRequestedTier(environmentOptions),
    auto_stop_at: toAutoStopTime(now, environmentOptions?.auto_stop_in),
  };
}

/** Returns the tier that the job's options request; undefined if they request none or an unknown one. */
function getRequestedTier(options: DeployingJob['environmentOptions']): EnvironmentTier | undefined {
  return ENVIRONMENT_TIERS.find((tier) => tier === options?.deployment_tier);
}

/** Returns when the environment stops automatically for this `auto_stop_in`; null means never. */
function toAutoStopTime(now: string, autoStopIn: string | null | undefined): string | null {
  const seconds = autoStopIn == null ? null : parsePositiveSeconds(autoStopIn);
  return seconds === null ? null : addMilliseconds(now, seconds * 1000);
}
