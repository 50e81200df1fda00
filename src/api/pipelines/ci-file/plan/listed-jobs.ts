import type { CiConfiguration } from '../configuration.ts';
import { expandParallel } from '../keywords/dependencies.ts';
import type { CiJob } from '../keywords/job.ts';
import type { EffortBudget } from '../yaml/effort-budget.ts';
import { type CiMap, fileTooLarge, toJsonValue } from '../yaml/values.ts';
import { createTooManyJobsError, MAX_JOBS, type PipelinePlan, type PlannedNeed } from './plan.ts';

/** A job as lint results show it (contract/runners.md §4.9). */
export interface CiLintJobRow {
  readonly name: string;
  readonly stage: string;
  readonly before_script: string[];
  readonly script: string[];
  readonly after_script: string[];
  readonly tag_list: string[];
  /** `only`, `except` and `needs` are taken from the file; a plan has evaluated them and omits them. */
  readonly only?: Record<string, unknown> | null;
  readonly except?: Record<string, unknown> | null;
  readonly needs?: PlannedNeedByName[] | null;
  readonly environment: string | null;
  readonly when: string;
  readonly allow_failure: boolean;
}

interface PlannedNeedByName extends Omit<PlannedNeed, 'job'> {
  readonly name: string;
}

/** Lists all jobs of the file in stage order, without evaluating rules. */
export function listJobsOfFile({ jobs, stages }: CiConfiguration, file: CiMap, effort: EffortBudget): CiLintJobRow[] {
  if (jobs.reduce((count, { parallel }) => count + countInstances(parallel), 0) > MAX_JOBS)
    throw createTooManyJobsError();
  const stageIndex = (job: CiJob) => stages.indexOf(job.stage);
  const listedJobs = jobs
    .toSorted((one, other) => stageIndex(one) - stageIndex(other))
    .flatMap((job) => {
      const entry = file.get(job.name) as CiMap;
      const jobDetails = {
        stage: job.stage,
        ...toScripts(job.options),
        tag_list: [...job.tags],
        only: job.rules === null ? (toLongPolicy(entry, 'only') ?? { refs: ['branches', 'tags'] }) : null,
        except: toLongPolicy(entry, 'except'),
        environment: job.environment?.name ?? null,
        when: job.when ?? 'on_success',
        allow_failure: job.allowFailure?.allowed ?? job.when === 'manual',
        needs: job.needs?.map(({ job: name, artifacts, optional }) => ({ name, artifacts, optional })) ?? null,
      };
      return expandParallel(job, effort).map(({ name }) => ({ name, ...jobDetails }));
    });
  return limitScripts(listedJobs);
}

/** Lists the jobs of a planned pipeline. */
export function listJobsOfPlan({ jobs }: PipelinePlan): CiLintJobRow[] {
  const listedJobs = jobs.map(({ name, stage, options, tags, environment, when, allowFailure }) => ({
    name,
    stage,
    ...toScripts(options),
    tag_list: [...tags],
    environment,
    when,
    allow_failure: allowFailure,
  }));
  return limitScripts(listedJobs);
}

function countInstances(parallel: CiJob['parallel']): number {
  if (parallel === null) return 1;
  return 'total' in parallel ? parallel.total : parallel.matrix.length;
}

/** Limit for the total length of scripts: shared scripts are repeated for each job. */
const MAX_SCRIPT_LENGTH = 4 * 1024 * 1024;

/** Returns the jobs. Throws if their scripts are too long. */
function limitScripts(jobs: CiLintJobRow[]): CiLintJobRow[] {
  let length = 0;
  for (const { before_script, script, after_script } of jobs) {
    for (const lines of [before_script, script, after_script]) {
      for (const line of lines) length += line.length + 1;
      if (length > MAX_SCRIPT_LENGTH) throw fileTooLarge();
    }
  }
  return jobs;
}

type Scripts = Pick<CiJob['options'], 'before_script' | 'script' | 'after_script'>;

/** Jobs may share these arrays; they must not be mutated. */
function toScripts({ before_script, script, after_script }: Scripts) {
  return {
    before_script: (before_script ?? []) as string[],
    script: (script ?? []) as string[],
    after_script: (after_script ?? []) as string[],
  };
}

/** Returns the policy in its long form; the short form lists refs only. */
function toLongPolicy(entry: CiMap, key: 'only' | 'except'): Record<string, unknown> | null {
  const value = toJsonValue(entry.get(key) ?? null);
  if (value === null) return null;
  if (typeof value === 'string') return { refs: [value] };
  return Array.isArray(value) ? { refs: value.flat(10) } : (value as Record<string, unknown>);
}
