import type { Columns } from '#database/database.ts';
import type { JobStatus } from '#database/schema.ts';
import { type CountedJob, StatusCounter } from './composite-status.ts';

// Decides which jobs of a pipeline may leave `created`, and their next status (contract/runners.md "States"). Pure.

/** The fields of a job that decide when it becomes ready. */
export interface PipelineJob extends CountedJob, Columns<'jobs', 'id' | 'name' | 'stage_index' | 'run_when'> {
  /** Null: the job waits for all jobs of earlier stages. */
  readonly needs: readonly JobNeed[] | null;
}

export interface JobNeed {
  readonly job: string;
  readonly artifacts: boolean;
  readonly optional: boolean;
}

/** The status of a job after `created`. `pending` means that it may run, even if it first waits for a resource. */
export type ReadyStatus = 'pending' | 'manual' | 'scheduled' | 'skipped';

const FINISHED: ReadonlySet<JobStatus> = new Set(['success', 'failed', 'canceled', 'skipped']);

/** Returns whether a job with this status has ended, so that other jobs no longer wait for it. */
export function hasFinished(status: JobStatus): boolean {
  return FINISHED.has(status);
}

/**
 * Returns the next status of each `created` job that is ready, by job id. This includes jobs that become ready because
 * of another job in the result. Jobs that must wait are omitted. `jobs`: the latest attempt of each name.
 */
export function findReadyJobs(jobs: readonly PipelineJob[]): ReadonlyMap<number, ReadyStatus> {
  const outcomes = new Map<number, ReadyStatus>();
  const getCurrentStatus = (job: PipelineJob): CountedJob => ({
    status: outcomes.get(job.id) ?? job.status,
    allow_failure: job.allow_failure,
  });
  const jobsByName = groupByName(jobs);
  const decidedIds = new Set<number>();
  const earlierStages = new StatusCounter();

  const decide = (job: PipelineJob): void => {
    if (job.status !== 'created' || decidedIds.has(job.id)) return;
    decidedIds.add(job.id);
    const priorResult =
      job.needs === null
        ? getStagesResult(earlierStages)
        : getNeedsResult(findNeededJobs(job, jobsByName), decide, getCurrentStatus);
    const outcome = priorResult && getReadyStatus(job, priorResult);
    if (outcome) outcomes.set(job.id, outcome);
  };

  for (const stage of groupByStage(jobs)) {
    for (const job of stage) decide(job);
    for (const job of stage) earlierStages.add(getCurrentStatus(job));
  }
  return outcomes;
}

/** The combined result of the jobs that a job waits for; null while one of them is unfinished. */
type PriorResult = 'success' | 'skipped' | 'failed' | 'other' | null;

function getStagesResult(earlierStages: StatusCounter): PriorResult {
  return toPriorResult(earlierStages.getCompositeStatus());
}

function getNeedsResult(
  neededJobs: readonly PipelineJob[],
  decide: (job: PipelineJob) => void,
  getCurrentStatus: (job: PipelineJob) => CountedJob,
): PriorResult {
  const counter = new StatusCounter();
  for (const job of neededJobs) {
    decide(job);
    counter.add(getCurrentStatus(job));
  }
  const unfinished = neededJobs.some((job) => {
    const { status, allow_failure } = getCurrentStatus(job);
    return !hasFinished(status) && !(status === 'manual' && allow_failure);
  });
  if (unfinished) return null;
  // A needed job that never ran has no results, so this job is skipped whatever the results of the other needs.
  return counter.hasAny('skipped', 'ignored') ? 'skipped' : toPriorResult(counter.getCompositeStatus());
}

function toPriorResult(status: JobStatus): PriorResult {
  if (!hasFinished(status)) return null;
  return status === 'success' || status === 'skipped' || status === 'failed' ? status : 'other';
}

function getReadyStatus(job: PipelineJob, priorResult: NonNullable<PriorResult>): ReadyStatus {
  if (!mayRunAfter(job, priorResult)) return 'skipped';
  if (job.run_when === 'manual') return 'manual';
  return job.run_when === 'delayed' ? 'scheduled' : 'pending';
}

function mayRunAfter({ run_when, needs }: PipelineJob, priorResult: NonNullable<PriorResult>): boolean {
  if (priorResult === 'other') return false;
  if (run_when === 'always') return true;
  if (run_when === 'on_failure') return priorResult === 'failed';
  return priorResult === 'success' || (priorResult === 'skipped' && needs === null);
}

/** Returns the jobs that this job needs; for a parallel job (`NAME 1/3`), all its parts. Missing jobs are ignored. */
function findNeededJobs<Job>(
  { needs }: Pick<PipelineJob, 'needs'>,
  jobsByName: ReadonlyMap<string, readonly Job[]>,
): Job[] {
  return (needs ?? []).flatMap(({ job }) => jobsByName.get(job) ?? []);
}

/** A job and the ids of the jobs that it needs directly; null: it waits for all jobs of earlier stages. */
interface NeedsOfJob {
  readonly id: number;
  readonly needs: number[] | null;
}

/** Returns the needs of each of these jobs. `jobs`: the latest attempt of each name. */
export function resolveNeeds(jobs: readonly Pick<PipelineJob, 'id' | 'name' | 'needs'>[]): NeedsOfJob[] {
  const jobsByName = groupByName(jobs);
  return jobs.map((job) => ({
    id: job.id,
    needs: job.needs === null ? null : findNeededJobs(job, jobsByName).map(({ id }) => id),
  }));
}

/** Returns the jobs by name; the parts of a parallel job also by their common name. */
function groupByName<Job extends { readonly name: string }>(jobs: readonly Job[]): ReadonlyMap<string, readonly Job[]> {
  const jobsByName = new Map<string, Job[]>();
  const instancesByName = new Map<string, Job[]>();
  for (const job of jobs) {
    jobsByName.set(job.name, [job]);
    const commonName = parseCommonName(job.name);
    if (commonName === null) continue;
    const instances = instancesByName.get(commonName);
    if (instances) instances.push(job);
    else instancesByName.set(commonName, [job]);
  }
  for (const [name, group] of instancesByName) if (!jobsByName.has(name)) jobsByName.set(name, group);
  return jobsByName;
}

/** Returns `unit` for `unit 2/3`, or null for a job that is not parallel. */
function parseCommonName(name: string): string | null {
  const blankIndex = name.lastIndexOf(' ');
  const isInstance = blankIndex > 0 && /^\d{1,4}\/\d{1,4}$/.test(name.slice(blankIndex + 1));
  return isInstance ? name.slice(0, blankIndex) : null;
}

/** Returns the jobs of each stage, ordered by stage. */
function groupByStage(jobs: readonly PipelineJob[]): PipelineJob[][] {
  const stages = new Map<number, PipelineJob[]>();
  for (const job of jobs) {
    const stage = stages.get(job.stage_index);
    if (stage) stage.push(job);
    else stages.set(job.stage_index, [job]);
  }
  return [...stages].sort(([one], [other]) => one - other).map(([, stage]) => stage);
}

/** Returns the jobs that run after this one: jobs of later stages, and jobs that need it directly or indirectly. */
export function findLaterJobs<Job extends PipelineJob>(jobs: readonly Job[], job: Job): Job[] {
  const jobsByName = groupByName(jobs);
  const laterById = new Map<number, boolean>();
  const isLater = (other: Job): boolean => {
    const knownResult = laterById.get(other.id);
    if (knownResult !== undefined) return knownResult;
    // Ends the recursion if needs are circular.
    laterById.set(other.id, false);
    const isLaterJob =
      other.stage_index > job.stage_index ||
      findNeededJobs(other, jobsByName).some((neededJob) => neededJob.id === job.id || isLater(neededJob));
    laterById.set(other.id, isLaterJob);
    return isLaterJob;
  };
  return jobs.filter((other) => other.id !== job.id && isLater(other));
}
