import type { JobStatus } from '#database/tables/pipelines.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { cancelPosted } from './commit-status-store.ts';
import { idsOf, stepJobs, whoseAre } from './job-transitions.ts';
import { groupsOf } from './resource-groups.ts';
import { changeJob, type PipelineKey, settle } from './state-machine.ts';
import { latestOf, thatEndGracefully } from './store.ts';

/** What has not begun, and is over at once. */
const WAITING: readonly JobStatus[] = [
  'created',
  'waiting_for_resource',
  'preparing',
  'waiting_for_callback',
  'pending',
  'manual',
  'scheduled',
];

/**
 * Cancels a job; one that has ended, or is being canceled, stays as it is. One that runs is `canceling` where its runner's
 * manager wants to end it itself. `force`: only one that is `canceling`, without waiting for its runner.
 */
export async function cancelJob(uow: UnitOfWork, jobId: number, { force = false } = {}): Promise<void> {
  if (force) {
    await changeJob(uow, jobId, ['canceling'], 'canceled');
    return;
  }
  if ((await changeJob(uow, jobId, WAITING, 'canceled')) !== null) return;
  const gracefully = (await thatEndGracefully(uow, [jobId])).length > 0;
  await changeJob(uow, jobId, ['running'], gracefully ? 'canceling' : 'canceled');
}

const OVER: readonly JobStatus[] = ['success', 'failed', 'canceled', 'skipped'];

/**
 * Cancels all jobs of a pipeline that have not ended; one that has ended itself stays as it is, with what could be played.
 * `force`: without waiting for runners.
 */
export async function cancelPipeline(
  uow: UnitOfWork,
  pipeline: PipelineKey & { readonly status: JobStatus },
  { force = false } = {},
): Promise<void> {
  if (OVER.includes(pipeline.status)) return;
  const jobs = await latestOf(uow, pipeline.id);
  const whose = whoseAre(pipeline);
  const running = jobs.filter(({ status }) => status === 'running');
  const gracefully = new Set(force ? [] : await thatEndGracefully(uow, idsOf(running)));
  const waiting = jobs.filter(({ status }) => WAITING.includes(status));
  const canceling = force ? jobs.filter(({ status }) => status === 'canceling') : [];
  const ended = [...running.filter(({ id }) => !gracefully.has(id)), ...canceling];
  await stepJobs(uow, whose, [...waiting, ...ended], 'canceled');
  const ending = running.filter(({ id }) => gracefully.has(id));
  await stepJobs(uow, whose, ending, 'canceling');
  for (const { id: jobId } of ended) {
    await uow.publish('job-finished', { jobId, pipelineId: pipeline.id, projectId: pipeline.project_id });
  }
  await cancelPosted(uow, pipeline.id);
  await settle(uow, pipeline, groupsOf(jobs));
}
