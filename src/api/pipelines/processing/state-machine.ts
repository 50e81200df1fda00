import { ANONYMOUS } from '#authentication/caller.ts';
import type { JobStatus } from '#database/tables/pipelines.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Services } from '#http/services.ts';
import { enqueue, type JobDefinition } from '#jobs/job.ts';
import { addMilliseconds } from '#runtime/clock.ts';
import { cloneJobs } from './clone-jobs.ts';
import { listExternalStatuses } from './commit-status-store.ts';
import { compositeStatus } from './composite-status.ts';
import { type DeploymentBlock, findBlockedDeployments } from './deployment-check.ts';
import { applyFailurePolicy } from './failure-policy.ts';
import { findReadyJobs, hasFinished, type ReadyStatus } from './job-readiness.ts';
import {
  getIds,
  type PipelineRef,
  scheduleJob,
  toPipelineRef,
  transitionJob,
  transitionJobs,
} from './job-transitions.ts';
import { recordOutcome } from './pipeline-outcome.ts';
import { findNextInResourceGroup, getResourceGroupIds } from './resource-groups.ts';
import { notifyRunnersOfJob } from './runner-queue-versions.ts';
import {
  type ChangedJob,
  findJobToStart,
  type JobChange,
  listLatestJobs,
  loadProcessingOptions,
  type ProcessedJob,
  setPipelineStatus,
} from './store.ts';

/**
 * The one way in which jobs and pipelines change their status (contract/runners.md "States"). A step of a job, and all that
 * follows from it, is one act: other jobs leave `created`, the next of a resource group has its turn, the pipeline is what
 * its jobs make it, runners learn that there is work. After a crash it has happened whole, or not at all.
 */

/**
 * The turn of whatever makes pipelines of a project, or changes their jobs, for the `turn` of endpoints and transactions. What
 * one of them reads lies beside what another writes, and PostgreSQL would refuse them in turns, until none gets through.
 */
export function jobsLockKey(projectId: number): string {
  return `jobs of project ${projectId}`;
}

export interface PipelineKey {
  readonly id: number;
  readonly project_id: number;
}

/** Sets a pipeline going whose jobs have just been added, as `created`. */
export async function startPipeline(uow: UnitOfWork, pipeline: PipelineKey): Promise<void> {
  await processPipeline(uow, pipeline);
}

/**
 * Brings a job from one of these statuses to another one, with what else is to be known of it then, and has everything
 * follow. Null, and nothing has happened, when it is in none of them (any more): of two that want the same step one makes
 * it. The moments of its life (`queued_at`, `started_at`, `finished_at`) are now, unless `change` says otherwise. One
 * that has failed is tried again, or may fail, as its CI file says.
 */
export async function changeJobStatus(
  uow: UnitOfWork,
  jobId: number,
  from: readonly JobStatus[],
  to: JobStatus,
  change: JobChange = {},
): Promise<ChangedJob | null> {
  const reason = to === 'failed' ? { failure_reason: 'unknown_failure' } : {};
  const job = await transitionJob(uow, jobId, from, to, { ...reason, ...change });
  if (job === null) return null;
  if (hasFinished(to))
    await uow.publish('job-finished', { jobId, pipelineId: job.pipeline_id, projectId: job.project_id });
  if (to === 'running') {
    // Nobody waits for a job to begin.
    await setPipelineStatus(uow, job.pipeline_id, 'running');
    return job;
  }
  if (to === 'failed' && (await applyFailurePolicy(uow, job)) === 'again') {
    const [clone] = await cloneJobs(uow, job, [job.id], job.user_id);
    if (clone?.run_when === 'manual' || clone?.run_when === 'delayed') await startJob(uow, clone.id, ['created']);
  }
  await processPipelineOf(uow, job);
  return job;
}

/**
 * A job that somebody or a clock has start: it is pending, or waits for its turn in its resource group; where its environment
 * is protected it may have to wait for approvals, or fail.
 */
export async function startJob(
  uow: UnitOfWork,
  jobId: number,
  from: readonly JobStatus[],
  change: JobChange = {},
): Promise<ChangedJob | null> {
  const found = await findJobToStart(uow, jobId);
  if (found === null) return null;
  const { user_id = found.user_id } = change;
  const held = (await findBlockedDeployments(uow, found, [{ ...found, user_id }])).get(jobId);
  if (held !== undefined) return blockJob(uow, jobId, from, held, change);
  const to = found.resource_group_id === null ? 'pending' : 'waiting_for_resource';
  const job = await transitionJob(uow, jobId, from, to, change);
  if (job === null) return null;
  if (to === 'pending') await notifyRunnersOfJob(uow, job.project_id, job.pipeline_id);
  await processPipelineOf(uow, job);
  return job;
}

/** One that may not start waits for somebody, or has failed; null: it is in none of these statuses, or waits already. */
async function blockJob(
  uow: UnitOfWork,
  jobId: number,
  from: readonly JobStatus[],
  held: DeploymentBlock,
  change: JobChange,
): Promise<ChangedJob | null> {
  const waiting = from.filter((status) => status !== 'manual');
  const job =
    held === 'waiting'
      ? await transitionJob(uow, jobId, waiting, 'manual', change)
      : await transitionJob(uow, jobId, from, 'failed', { ...change, failure_reason: held });
  if (job !== null) await processPipelineOf(uow, job);
  return job;
}

async function processPipelineOf(uow: UnitOfWork, job: ChangedJob): Promise<void> {
  await processPipeline(uow, { id: job.pipeline_id, project_id: job.project_id }, getResourceGroupIds([job]));
}

/**
 * Has everything follow that follows from how the pipeline's jobs stand. `groups`: resource groups in which somebody may
 * have his turn now, besides those of jobs that make a step here.
 */
export async function processPipeline(
  uow: UnitOfWork,
  pipeline: PipelineKey,
  groups: readonly number[] = [],
): Promise<void> {
  const jobs = await listLatestJobs(uow, pipeline.id);
  const pipelineRef = toPipelineRef(pipeline);
  const stepped = await updateReadyJobs(uow, pipelineRef, jobs);
  for (const to of IMMEDIATE_STATUSES) await transitionJobs(uow, pipelineRef, filterByStatus(stepped, to), to);
  await scheduleDelayedJobs(uow, pipelineRef, filterByStatus(stepped, 'scheduled'));
  const others = await startNextInResourceGroups(uow, jobs, [...groups, ...getResourceGroupIds(stepped)]);
  await updatePipelineStatus(uow, pipeline, jobs);
  if (stepped.some(({ status }) => status === 'pending'))
    await notifyRunnersOfJob(uow, pipeline.project_id, pipeline.id);
  for (const id of others) await updatePipelineStatus(uow, { ...pipeline, id }, await listLatestJobs(uow, id));
}

/** Those that follow from a look at the pipeline, and nothing else. */
const IMMEDIATE_STATUSES: readonly JobStatus[] = ['manual', 'skipped', 'waiting_for_resource', 'pending'];

/** Gives the jobs that leave `created` their new statuses, and returns them; those that fail have made that step already. */
async function updateReadyJobs(
  uow: UnitOfWork,
  pipeline: PipelineRef,
  jobs: readonly ProcessedJob[],
): Promise<ProcessedJob[]> {
  const stepped: ProcessedJob[] = [];
  // Others follow from those that were held back, until nobody is.
  for (;;) {
    const outcomes = findReadyJobs(jobs);
    const leaving = jobs.filter(({ id }) => outcomes.has(id));
    const held = await findBlockedDeployments(
      uow,
      pipeline,
      leaving.filter(({ id }) => outcomes.get(id) === 'pending'),
    );
    for (const job of leaving) job.status = statusAfter(job, outcomes.get(job.id)!, held.get(job.id));
    for (const reason of BLOCK_FAILURES) {
      const failed = leaving.filter(({ id }) => held.get(id) === reason);
      await transitionJobs(uow, pipeline, failed, 'failed', { failure_reason: reason });
    }
    stepped.push(...leaving);
    if (held.size === 0) return stepped;
  }
}

const BLOCK_FAILURES = [
  'protected_environment_failure',
  'environment_creation_failure',
] as const satisfies readonly DeploymentBlock[];

function statusAfter(job: ProcessedJob, outcome: ReadyStatus, held: DeploymentBlock | undefined): JobStatus {
  if (held !== undefined) return held === 'waiting' ? 'manual' : 'failed';
  return outcome === 'pending' && job.resource_group_id !== null ? 'waiting_for_resource' : outcome;
}

function filterByStatus(jobs: readonly ProcessedJob[], status: JobStatus): ProcessedJob[] {
  return jobs.filter((job) => job.status === status);
}

async function updatePipelineStatus(
  uow: UnitOfWork,
  pipeline: PipelineKey,
  jobs: readonly ProcessedJob[],
): Promise<void> {
  const parts = [...jobs, ...(await listExternalStatuses(uow, pipeline.id))];
  // One without any is what it was made as: nothing in it ever changes.
  if (parts.length === 0) return;
  const status = compositeStatus(parts);
  if (await setPipelineStatus(uow, pipeline.id, status)) await recordOutcome(uow, pipeline.id, status);
}

/** Gives whoever has it now his turn in a resource group whose order is another one than before. */
export async function startNextInResourceGroup(
  uow: UnitOfWork,
  group: { readonly id: number; readonly project_id: number },
): Promise<void> {
  for (const id of await startNextInResourceGroups(uow, [], [group.id])) {
    await updatePipelineStatus(uow, { id, project_id: group.project_id }, await listLatestJobs(uow, id));
  }
}

/**
 * Gives those their turn who have it now in these resource groups; returns the other pipelines in which one has. An act
 * without the turn of the project's jobs may do so too: transactions are serializable, and of two that step jobs of one
 * pipeline at once the other one sees what the first has done.
 */
async function startNextInResourceGroups(
  uow: UnitOfWork,
  jobs: readonly ProcessedJob[],
  groups: readonly number[],
): Promise<number[]> {
  const others = new Set<number>();
  for (const group of [...new Set(groups)].sort((one, other) => one - other)) {
    const next = await findNextInResourceGroup(uow, group);
    if (next === null) continue;
    await transitionJobs(uow, next, [next], 'pending');
    await notifyRunnersOfJob(uow, next.project_id, next.pipeline_id);
    const here = jobs.find(({ id }) => id === next.id);
    if (here) here.status = 'pending';
    else others.add(next.pipeline_id);
  }
  return [...others];
}

/** These are started by the clock, as long after now as the CI file says. */
async function scheduleDelayedJobs(
  uow: UnitOfWork,
  pipeline: PipelineRef,
  jobs: readonly ProcessedJob[],
): Promise<void> {
  const options = await loadProcessingOptions(uow, getIds(jobs));
  for (const job of jobs) {
    const runAt = addMilliseconds(uow.now, (options.get(job.id)?.start_in ?? 0) * 1000);
    await scheduleJob(uow, pipeline, job, runAt);
    await enqueue(uow, startDelayedJob, { jobId: job.id }, { runAt, key: String(job.id) });
  }
}

/** A delayed job's time has come, unless somebody has played or canceled it before. */
export const startDelayedJob: JobDefinition<Services, { readonly jobId: number }> = {
  kind: 'start-delayed-job',
  async handle({ runUnitOfWork }, { jobId }) {
    await runUnitOfWork(ANONYMOUS, (uow) => startJob(uow, jobId, ['scheduled']));
  },
};
