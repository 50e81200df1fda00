import type { JobStatus } from '#database/tables/pipelines.ts';
import type { Act } from '#events/unit-of-work.ts';
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
export async function cancelJob(act: Act, jobId: number, { force = false } = {}): Promise<void> {
  if (force) {
    await changeJob(act, jobId, ['canceling'], 'canceled');
    return;
  }
  if ((await changeJob(act, jobId, WAITING, 'canceled')) !== null) return;
  const gracefully = (await thatEndGracefully(act, [jobId])).length > 0;
  await changeJob(act, jobId, ['running'], gracefully ? 'canceling' : 'canceled');
}

const OVER: readonly JobStatus[] = ['success', 'failed', 'canceled', 'skipped'];

/**
 * Cancels all jobs of a pipeline that have not ended; one that has ended itself stays as it is, with what could be played.
 * `force`: without waiting for runners.
 */
export async function cancelPipeline(
  act: Act,
  pipeline: PipelineKey & { readonly status: JobStatus },
  { force = false } = {},
): Promise<void> {
  if (OVER.includes(pipeline.status)) return;
  const jobs = await latestOf(act, pipeline.id);
  const whose = whoseAre(pipeline);
  const running = jobs.filter(({ status }) => status === 'running');
  const gracefully = new Set(force ? [] : await thatEndGracefully(act, idsOf(running)));
  const waiting = jobs.filter(({ status }) => WAITING.includes(status));
  const canceling = force ? jobs.filter(({ status }) => status === 'canceling') : [];
  const ended = [...running.filter(({ id }) => !gracefully.has(id)), ...canceling];
  await stepJobs(act, whose, [...waiting, ...ended], 'canceled');
  const ending = running.filter(({ id }) => gracefully.has(id));
  await stepJobs(act, whose, ending, 'canceling');
  for (const { id: jobId } of ended) {
    await act.publish('job-finished', { jobId, pipelineId: pipeline.id, projectId: pipeline.project_id });
  }
  await cancelPosted(act, pipeline.id);
  await settle(act, pipeline, groupsOf(jobs));
}
