import type { JobStatus } from '#database/schema.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { cancelCommitStatuses } from './commit-status-store.ts';
import { getIds, toPipelineRef, transitionJobs } from './job-transitions.ts';
import { getResourceGroupIds } from './resource-groups.ts';
import { changeJobStatus, type PipelineKey, processPipeline } from './state-machine.ts';
import { findGracefullyCancelable, listLatestJobs } from './store.ts';

/** Statuses of jobs that have not started and can be canceled at once. */
const WAITING_STATUSES: readonly JobStatus[] = [
  'created',
  'waiting_for_resource',
  'preparing',
  'waiting_for_callback',
  'pending',
  'manual',
  'scheduled',
];

/**
 * Cancels a job. A finished or `canceling` job stays as it is. A running job becomes `canceling` if its runner manager
 * supports it. `force`: cancels only a `canceling` job, without waiting for its runner.
 */
export async function cancelJob(uow: UnitOfWork, jobId: number, { force = false } = {}): Promise<void> {
  if (force) {
    await changeJobStatus(uow, jobId, ['canceling'], 'canceled');
    return;
  }
  if ((await changeJobStatus(uow, jobId, WAITING_STATUSES, 'canceled')) !== null) return;
  const isGraceful = (await findGracefullyCancelable(uow, [jobId])).length > 0;
  await changeJobStatus(uow, jobId, ['running'], isGraceful ? 'canceling' : 'canceled');
}

const FINISHED_STATUSES: readonly JobStatus[] = ['success', 'failed', 'canceled', 'skipped'];

/**
 * Cancels all unfinished jobs of a pipeline. A finished pipeline stays as it is, including its manual jobs. `force`:
 * does not wait for runners.
 */
export async function cancelPipeline(
  uow: UnitOfWork,
  pipeline: PipelineKey & { readonly status: JobStatus },
  { force = false } = {},
): Promise<void> {
  if (FINISHED_STATUSES.includes(pipeline.status)) return;
  const jobs = await listLatestJobs(uow, pipeline.id);
  const pipelineRef = toPipelineRef(pipeline);
  const runningJobs = jobs.filter(({ status }) => status === 'running');
  const gracefulIds = new Set(force ? [] : await findGracefullyCancelable(uow, getIds(runningJobs)));
  const waitingJobs = jobs.filter(({ status }) => WAITING_STATUSES.includes(status));
  const jobsBeingCanceled = force ? jobs.filter(({ status }) => status === 'canceling') : [];
  const endedJobs = [...runningJobs.filter(({ id }) => !gracefulIds.has(id)), ...jobsBeingCanceled];
  await transitionJobs(uow, pipelineRef, [...waitingJobs, ...endedJobs], 'canceled');
  const cancelingJobs = runningJobs.filter(({ id }) => gracefulIds.has(id));
  await transitionJobs(uow, pipelineRef, cancelingJobs, 'canceling');
  for (const { id: jobId } of endedJobs) {
    await uow.publish('job-finished', { jobId, pipelineId: pipeline.id, projectId: pipeline.project_id });
  }
  await cancelCommitStatuses(uow, pipeline.id);
  await processPipeline(uow, pipeline, getResourceGroupIds(jobs));
}
