import type { JobStatus, JobWhen } from '#database/tables/pipelines.ts';
import { StatusCounter, type StatusPart } from './composite-status.ts';

/** Which jobs of a pipeline may leave `created`, and as what (contract/runners.md "States"). Pure. */

/** A job as far as its place in the pipeline goes. */
export interface PipelineJob extends StatusPart {
  readonly id: number;
  readonly name: string;
  readonly stage_index: number;
  readonly run_when: JobWhen;
  /** Null: it waits for all jobs of earlier stages. */
  readonly needs: readonly JobNeed[] | null;
}

export interface JobNeed {
  readonly job: string;
  readonly artifacts: boolean;
  readonly optional: boolean;
}

/** What a job becomes that leaves `created`: `pending` stands for whatever a job does that may run. */
export type ReadyStatus = 'pending' | 'manual' | 'scheduled' | 'skipped';

const FINISHED: ReadonlySet<JobStatus> = new Set(['success', 'failed', 'canceled', 'skipped']);

/** Has it ended, for whoever waits for it? */
export function hasFinished(status: JobStatus): boolean {
  return FINISHED.has(status);
}

/**
 * What becomes of those that are `created`, by their ids: all that follows from how the jobs stand now, also from what
 * becomes of each other. Those that have to wait are left out. The jobs are the latest attempt of each name.
 */
export function findReadyJobs(jobs: readonly PipelineJob[]): ReadonlyMap<number, ReadyStatus> {
  const outcomes = new Map<number, ReadyStatus>();
  const standing = (job: PipelineJob): StatusPart => ({
    status: outcomes.get(job.id) ?? job.status,
    allow_failure: job.allow_failure,
  });
  const named = groupByName(jobs);
  const decided = new Set<number>();
  const earlier = new StatusCounter();

  const decide = (job: PipelineJob): void => {
    if (job.status !== 'created' || decided.has(job.id)) return;
    decided.add(job.id);
    const before =
      job.needs === null ? resultOfStages(earlier) : resultOfNeeds(findNeededJobs(job, named), decide, standing);
    const outcome = before && statusAfter(job, before);
    if (outcome) outcomes.set(job.id, outcome);
  };

  for (const stage of groupByStage(jobs)) {
    for (const job of stage) decide(job);
    for (const job of stage) earlier.add(standing(job));
  }
  return outcomes;
}

/** How what a job waits for has ended; null: it has not. */
type PriorResult = 'success' | 'skipped' | 'failed' | 'other' | null;

function resultOfStages(earlier: StatusCounter): PriorResult {
  return toPriorResult(earlier.composite());
}

function resultOfNeeds(
  needed: readonly PipelineJob[],
  decide: (job: PipelineJob) => void,
  standing: (job: PipelineJob) => StatusPart,
): PriorResult {
  const counter = new StatusCounter();
  for (const job of needed) {
    decide(job);
    counter.add(standing(job));
  }
  const unfinished = needed.some((job) => {
    const { status, allow_failure } = standing(job);
    return !hasFinished(status) && !(status === 'manual' && allow_failure);
  });
  if (unfinished) return null;
  // One that has not run at all has left nothing to build on, whatever the others did.
  return counter.has('skipped', 'ignored') ? 'skipped' : toPriorResult(counter.composite());
}

function toPriorResult(status: JobStatus): PriorResult {
  if (!hasFinished(status)) return null;
  return status === 'success' || status === 'skipped' || status === 'failed' ? status : 'other';
}

function statusAfter(job: PipelineJob, before: NonNullable<PriorResult>): ReadyStatus {
  if (!mayRunAfter(job, before)) return 'skipped';
  if (job.run_when === 'manual') return 'manual';
  return job.run_when === 'delayed' ? 'scheduled' : 'pending';
}

function mayRunAfter({ run_when, needs }: PipelineJob, before: NonNullable<PriorResult>): boolean {
  if (before === 'other') return false;
  if (run_when === 'always') return true;
  if (run_when === 'on_failure') return before === 'failed';
  return before === 'success' || (before === 'skipped' && needs === null);
}

/** The jobs that this one waits for; of several of one name (`NAME 1/3`) each. One that is not there is not waited for. */
function findNeededJobs<Job>({ needs }: Pick<PipelineJob, 'needs'>, named: ReadonlyMap<string, readonly Job[]>): Job[] {
  return (needs ?? []).flatMap(({ job }) => named.get(job) ?? []);
}

/** The jobs by their names, those that are several of one also by the name that they have in common. */
function groupByName<Job extends { readonly name: string }>(jobs: readonly Job[]): ReadonlyMap<string, readonly Job[]> {
  const named = new Map<string, Job[]>();
  const several = new Map<string, Job[]>();
  for (const job of jobs) {
    named.set(job.name, [job]);
    const common = commonName(job.name);
    if (common === null) continue;
    const known = several.get(common);
    if (known) known.push(job);
    else several.set(common, [job]);
  }
  for (const [name, some] of several) if (!named.has(name)) named.set(name, some);
  return named;
}

/** `unit` of `unit 2/3`. */
function commonName(name: string): string | null {
  const at = name.lastIndexOf(' ');
  return at > 0 && /^\d{1,4}\/\d{1,4}$/.test(name.slice(at + 1)) ? name.slice(0, at) : null;
}

/** The jobs of each stage, in the order of the stages. */
function groupByStage(jobs: readonly PipelineJob[]): PipelineJob[][] {
  const stages = new Map<number, PipelineJob[]>();
  for (const job of jobs) {
    const stage = stages.get(job.stage_index);
    if (stage) stage.push(job);
    else stages.set(job.stage_index, [job]);
  }
  return [...stages].sort(([one], [other]) => one - other).map(([, stage]) => stage);
}

/** The jobs that come after this one: those of later stages, and those that need it, or another one that comes after it. */
export function findLaterJobs<Job extends PipelineJob>(jobs: readonly Job[], job: Job): Job[] {
  const named = groupByName(jobs);
  const later = new Map<number, boolean>();
  const isLater = (other: Job): boolean => {
    const known = later.get(other.id);
    if (known !== undefined) return known;
    later.set(other.id, false);
    const is =
      other.stage_index > job.stage_index ||
      findNeededJobs(other, named).some((needed) => needed.id === job.id || isLater(needed));
    later.set(other.id, is);
    return is;
  };
  return jobs.filter((other) => other.id !== job.id && isLater(other));
}
