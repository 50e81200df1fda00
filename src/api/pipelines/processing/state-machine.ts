import { ANONYMOUS } from '#authentication/caller.ts';
import type { JobStatus } from '#database/schema.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Services } from '#http/services.ts';
import { enqueue, type JobDefinition } from '#jobs/job.ts';
import { addMilliseconds } from '#runtime/clock.ts';
import { cloneJobs } from './clone-jobs.ts';
import { getCompositeStatus } from './composite-status.ts';
import { type DeploymentBlock, findBlockedDeployments } from './deployment-check.ts';
import { findReadyJobs, hasFinished, type ReadyStatus } from './job-readiness.ts';
import {
  getIds,
  type PipelineOfJobs,
  recordOutcome,
  scheduleJob,
  toPipelineOfJobs,
  transitionJob,
  transitionJobs,
} from './job-transitions.ts';
import { notifyRunnersOfJob } from './runner-queue-versions.ts';
import {
  type ChangedJob,
  countRetriedAttempts,
  findJobToStart,
  findNextInResourceGroup,
  getResourceGroupIds,
  type JobChange,
  listExternalStatuses,
  listLatestJobs,
  loadProcessingOptions,
  type ProcessedJob,
  type ProcessingOptions,
  setAllowFailure,
  setPipelineStatus,
} from './store.ts';

// The only code that changes the status of jobs and pipelines (contract/runners.md "States"). A status change and all
// its consequences run in one unit of work: other jobs leave `created`, the next job of a resource group becomes
// pending, the pipeline status is recomputed, runners are notified. After a crash, either all of it is stored or
// nothing.

/**
 * Returns the lock key for code that creates pipelines of a project or changes their jobs. Without this lock,
 * PostgreSQL would often abort concurrent transactions with serialization failures, because they use neighbouring rows.
 */
export function jobsLockKey(projectId: number): string {
  return `jobs of project ${projectId}`;
}

export interface PipelineKey {
  readonly id: number;
  readonly project_id: number;
}

/**
 * Changes the status of a job from one of `from` to `to`, writes the columns in `change`, and processes its pipeline.
 * Returns null and changes nothing if the job has none of these statuses: of two concurrent calls, one succeeds. The
 * timestamps `queued_at`, `started_at` and `finished_at` are set to now, unless `change` contains them. A failed job is
 * retried or allowed to fail according to its CI file.
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
    // A job that starts changes no other job.
    await setPipelineStatus(uow, job.pipeline_id, 'running');
    return job;
  }
  if (to === 'failed' && (await applyFailurePolicy(uow, job)) === 'retry') {
    const [clone] = await cloneJobs(uow, job, [job.id], job.user_id);
    // The first attempt was already played or delayed, so the retry starts immediately.
    if (clone?.run_when === 'manual' || clone?.run_when === 'delayed') await startJob(uow, clone.id, ['created']);
  }
  await processPipelineOfJob(uow, job);
  return job;
}

/**
 * Starts a job that a user played or whose delay is over: it becomes pending, or waits for its resource group. If its
 * environment is protected, it may wait for approvals or fail. Returns null if the job has none of the statuses `from`.
 */
export async function startJob(
  uow: UnitOfWork,
  jobId: number,
  from: readonly JobStatus[],
  change: JobChange = {},
): Promise<ChangedJob | null> {
  const jobToStart = await findJobToStart(uow, jobId);
  if (jobToStart === null) return null;
  const { user_id = jobToStart.user_id } = change;
  const block = (await findBlockedDeployments(uow, jobToStart, [{ ...jobToStart, user_id }])).get(jobId);
  if (block !== undefined) return blockJob(uow, jobId, from, block, change);
  const to = jobToStart.resource_group_id === null ? 'pending' : 'waiting_for_resource';
  const job = await transitionJob(uow, jobId, from, to, change);
  if (job === null) return null;
  if (to === 'pending') await notifyRunnersOfJob(uow, job.project_id, job.pipeline_id);
  await processPipelineOfJob(uow, job);
  return job;
}

/**
 * Sets a job that may not start to `manual` or `failed`. Returns null if it has none of these statuses, or if it
 * already waits for approvals.
 */
async function blockJob(
  uow: UnitOfWork,
  jobId: number,
  from: readonly JobStatus[],
  block: DeploymentBlock,
  change: JobChange,
): Promise<ChangedJob | null> {
  const nonManualStatuses = from.filter((status) => status !== 'manual');
  const job =
    block === 'waiting'
      ? await transitionJob(uow, jobId, nonManualStatuses, 'manual', change)
      : await transitionJob(uow, jobId, from, 'failed', { ...change, failure_reason: block });
  if (job !== null) await processPipelineOfJob(uow, job);
  return job;
}

async function processPipelineOfJob(uow: UnitOfWork, job: ChangedJob): Promise<void> {
  await processPipeline(uow, { id: job.pipeline_id, project_id: job.project_id }, getResourceGroupIds([job]));
}

/**
 * Applies everything that follows from the current statuses of the pipeline's jobs, also when it was just created. `groupIds`:
 * resource groups that may have become free, in addition to those of the jobs whose status changes.
 */
export async function processPipeline(
  uow: UnitOfWork,
  pipeline: PipelineKey,
  groupIds: readonly number[] = [],
): Promise<void> {
  const jobs = await listLatestJobs(uow, pipeline.id);
  const pipelineOfJobs = toPipelineOfJobs(pipeline);
  const changedJobs = await updateReadyJobs(uow, pipelineOfJobs, jobs);
  for (const to of IMMEDIATE_STATUSES) await transitionJobs(uow, pipelineOfJobs, filterByStatus(changedJobs, to), to);
  await scheduleDelayedJobs(uow, pipelineOfJobs, filterByStatus(changedJobs, 'scheduled'));
  const otherPipelineIds = await startNextInResourceGroups(uow, jobs, [
    ...groupIds,
    ...getResourceGroupIds(changedJobs),
  ]);
  await updatePipelineStatus(uow, pipeline, jobs);
  if (changedJobs.some(({ status }) => status === 'pending'))
    await notifyRunnersOfJob(uow, pipeline.project_id, pipeline.id);
  for (const id of otherPipelineIds)
    await updatePipelineStatus(uow, { ...pipeline, id }, await listLatestJobs(uow, id));
}

/** The statuses that `processPipeline` sets without further checks. */
const IMMEDIATE_STATUSES: readonly JobStatus[] = ['manual', 'skipped', 'waiting_for_resource', 'pending'];

/**
 * Sets the new status on the objects of all jobs that leave `created`, and returns these jobs. Only failures are
 * already written to the database.
 */
async function updateReadyJobs(
  uow: UnitOfWork,
  pipeline: PipelineOfJobs,
  jobs: readonly ProcessedJob[],
): Promise<ProcessedJob[]> {
  const changedJobs: ProcessedJob[] = [];
  // A blocked job can make further jobs ready, so repeat until none is blocked.
  for (;;) {
    const outcomes = findReadyJobs(jobs);
    const readyJobs = jobs.filter(({ id }) => outcomes.has(id));
    const blockReasons = await findBlockedDeployments(
      uow,
      pipeline,
      readyJobs.filter(({ id }) => outcomes.get(id) === 'pending'),
    );
    for (const job of readyJobs) job.status = getNextStatus(job, outcomes.get(job.id)!, blockReasons.get(job.id));
    for (const reason of BLOCK_FAILURE_REASONS) {
      const failedJobs = readyJobs.filter(({ id }) => blockReasons.get(id) === reason);
      await transitionJobs(uow, pipeline, failedJobs, 'failed', { failure_reason: reason });
    }
    changedJobs.push(...readyJobs);
    if (blockReasons.size === 0) return changedJobs;
  }
}

const BLOCK_FAILURE_REASONS = [
  'protected_environment_failure',
  'environment_creation_failure',
] as const satisfies readonly DeploymentBlock[];

function getNextStatus(job: ProcessedJob, outcome: ReadyStatus, block: DeploymentBlock | undefined): JobStatus {
  if (block !== undefined) return block === 'waiting' ? 'manual' : 'failed';
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
  // A pipeline without jobs and external statuses keeps the status that it was created with.
  if (parts.length === 0) return;
  const status = getCompositeStatus(parts);
  if (await setPipelineStatus(uow, pipeline.id, status)) await recordOutcome(uow, pipeline.id, status);
}

/** Starts the next job of a resource group whose process mode has changed. */
export async function startNextInResourceGroup(
  uow: UnitOfWork,
  group: { readonly id: number; readonly project_id: number },
): Promise<void> {
  for (const id of await startNextInResourceGroups(uow, [], [group.id])) {
    await updatePipelineStatus(uow, { id, project_id: group.project_id }, await listLatestJobs(uow, id));
  }
}

/**
 * Makes the next job of each of these resource groups pending. Returns the ids of the other pipelines that these jobs belong to.
 * Callers do not need the lock of the project's jobs: transactions are serializable, so of two that change jobs of one
 * pipeline, the second sees the changes of the first.
 */
async function startNextInResourceGroups(
  uow: UnitOfWork,
  jobs: readonly ProcessedJob[],
  groupIds: readonly number[],
): Promise<number[]> {
  const otherPipelineIds = new Set<number>();
  // A fixed order prevents deadlocks.
  for (const groupId of [...new Set(groupIds)].sort((a, b) => a - b)) {
    const nextJob = await findNextInResourceGroup(uow, groupId);
    if (nextJob === null) continue;
    await transitionJobs(uow, nextJob, [nextJob], 'pending');
    await notifyRunnersOfJob(uow, nextJob.project_id, nextJob.pipeline_id);
    const localJob = jobs.find(({ id }) => id === nextJob.id);
    if (localJob) localJob.status = 'pending';
    else otherPipelineIds.add(nextJob.pipeline_id);
  }
  return [...otherPipelineIds];
}

/** Schedules the start of delayed jobs after the delay (`start_in`) of the CI file. */
async function scheduleDelayedJobs(
  uow: UnitOfWork,
  pipeline: PipelineOfJobs,
  jobs: readonly ProcessedJob[],
): Promise<void> {
  const options = await loadProcessingOptions(uow, getIds(jobs));
  for (const job of jobs) {
    const runAt = addMilliseconds(uow.now, (options.get(job.id)?.start_in ?? 0) * 1000);
    await scheduleJob(uow, pipeline, job, runAt);
    await enqueue(uow, startDelayedJob, { jobId: job.id }, { runAt, key: String(job.id) });
  }
}

/** Background job that starts a delayed job when its delay is over, unless it was played or canceled before. */
export const startDelayedJob: JobDefinition<Services, { readonly jobId: number }> = {
  kind: 'start_delayed_job',
  async handle({ runUnitOfWork }, { jobId }) {
    await runUnitOfWork(ANONYMOUS, (uow) => startJob(uow, jobId, ['scheduled']));
  },
};

// Applies `retry` and `allow_failure:exit_codes` of the CI file to failed jobs (contract/runners.md §6).

/** Failure reasons for which another attempt would fail in the same way. */
const NON_RETRYABLE_REASONS: ReadonlySet<string> = new Set([
  'user_blocked',
  'builds_disabled',
  'project_deleted',
  'no_matching_runner',
  'missing_dependency_failure',
  'environment_creation_failure',
  'protected_environment_failure',
  'deployment_rejected',
  'stale_schedule',
]);

/**
 * Returns whether this failed job is retried (`retry`) or not (`final`). Marks it as allowed to
 * fail if `allow_failure:exit_codes` contains its exit code.
 */
async function applyFailurePolicy(uow: UnitOfWork, job: ChangedJob): Promise<'retry' | 'final'> {
  const options = (await loadProcessingOptions(uow, [job.id])).get(job.id) ?? {};
  const mayFail = job.exit_code !== null && options.allow_failure_exit_codes?.includes(job.exit_code) === true;
  if (mayFail) await setAllowFailure(uow, job.id);
  if (!shouldRetry(job, options.retry)) return 'final';
  const retriedCount = await countRetriedAttempts(uow, job.pipeline_id, job.name);
  return retriedCount < (options.retry?.max ?? 0) ? 'retry' : 'final';
}

function shouldRetry({ failure_reason, exit_code }: ChangedJob, retry: ProcessingOptions['retry']): boolean {
  if (!retry || retry.max < 1 || failure_reason === null || NON_RETRYABLE_REASONS.has(failure_reason)) return false;
  const { when, exit_codes } = retry;
  const isAlways = when.includes('always') || (when.length === 0 && exit_codes.length === 0);
  return isAlways || when.includes(failure_reason) || (exit_code !== null && exit_codes.includes(exit_code));
}
