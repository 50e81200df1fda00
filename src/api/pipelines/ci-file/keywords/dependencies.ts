import type { EffortBudget } from '../yaml/effort-budget.ts';
import { CiFileError } from '../yaml/values.ts';
import type { CiJob } from './job.ts';
import type { CiJobNeed } from './job-keywords.ts';
import { listParallelNames } from './parallel.ts';

/**
 * Checks references between jobs (`needs`, `dependencies`, `on_stop`), whether or not a pipeline contains all of them
 * (contract/runners.md §6).
 */

const MAX_NEEDS = 50;

/** Throws for the first job with an unknown stage or an invalid reference. */
export function checkDependencies(jobs: readonly CiJob[], stages: readonly string[], effort: EffortBudget): void {
  const stageIndexes = new Map(stages.map((stage, position) => [stage, position]));
  const jobsByName = new Map(
    jobs.flatMap((job) => [job.name, ...listParallelNames(job, effort)].map((name) => [name, job] as const)),
  );
  const check: DependencyCheck = { stages, stageIndexes, jobsByName };
  for (const job of jobs) checkJob(job, check);
  checkCycles(jobs, jobsByName);
}

interface DependencyCheck {
  readonly stages: readonly string[];
  readonly stageIndexes: ReadonlyMap<string, number>;
  readonly jobsByName: ReadonlyMap<string, CiJob>;
}

function checkJob(job: CiJob, check: DependencyCheck): void {
  const { name, stage, dependencies, rules } = job;
  if (!check.stageIndexes.has(stage)) {
    const knownStages = check.stages.join(', ');
    throw new CiFileError(`${name} job: chosen stage ${stage} does not exist; available stages are ${knownStages}`);
  }
  for (const dependency of dependencies ?? []) checkReference(job, dependency, 'dependency', check);
  const ownNeeds = job.instanceNeeds ?? [job.needs];
  for (const needs of [...ownNeeds, ...(rules ?? []).map((rule) => rule.needs)]) checkNeeds(job, needs ?? [], check);
  checkEnvironment(job, check);
}

function checkNeeds(job: CiJob, needs: readonly CiJobNeed[], check: DependencyCheck): void {
  for (const need of needs) {
    if (!need.optional || check.jobsByName.has(need.job)) checkReference(job, need.job, 'need', check);
  }
  const names = needs.map((need) => need.job);
  const seenNames = new Set<string>();
  const duplicateNames = new Set<string>();
  for (const name of names) (seenNames.has(name) ? duplicateNames : seenNames).add(name);
  if (duplicateNames.size > 0)
    throw new CiFileError(`${job.name} has the following needs duplicated: ${[...duplicateNames].join(', ')}.`);
  if (needs.length > MAX_NEEDS) {
    throw new CiFileError(
      `${job.name}: one job can only need ${MAX_NEEDS} others, but you have listed ${needs.length}. See needs keyword documentation for more details`,
    );
  }
}

function checkReference(
  { name, stage }: CiJob,
  other: string,
  kind: 'need' | 'dependency',
  check: DependencyCheck,
): void {
  const otherJob = check.jobsByName.get(other);
  if (otherJob === undefined) throw new CiFileError(`${name} job: undefined ${kind}: ${other}`);
  const stageIndex = check.stageIndexes.get(otherJob.stage);
  if (stageIndex === undefined || stageIndex > check.stageIndexes.get(stage)!) {
    throw new CiFileError(`${name} job: ${kind} ${other} is not defined in current or prior stages`);
  }
}

function checkEnvironment({ name, environment }: CiJob, { jobsByName }: DependencyCheck): void {
  const stop = environment?.on_stop;
  if (environment == null || stop == null) return;
  const errorPrefix = `${name} job: on_stop job ${stop}`;
  const job = jobsByName.get(stop);
  if (job === undefined) throw new CiFileError(`${errorPrefix} is not defined`);
  if (job.environment === null) throw new CiFileError(`${errorPrefix} does not have environment defined`);
  if (job.environment.name !== environment.name)
    throw new CiFileError(`${errorPrefix} have different environment name`);
  if (job.environment.action !== 'stop') throw new CiFileError(`${errorPrefix} needs to have action stop defined`);
}

/** Detects cycles iteratively, because chains of jobs may be long. */
function checkCycles(jobs: readonly CiJob[], jobsByName: ReadonlyMap<string, CiJob>): void {
  const state = new Map<CiJob, 'open' | 'done'>();
  for (const first of jobs) {
    const path: { readonly job: CiJob; readonly next: Iterator<string> }[] = [];
    const visitJob = (job: CiJob) => {
      state.set(job, 'open');
      path.push({ job, next: listNeededNames(job).values() });
    };
    if (!state.has(first)) visitJob(first);
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const { value, done } = top.next.next();
      const neededJob = done ? undefined : jobsByName.get(value);
      if (done) state.set(path.pop()!.job, 'done');
      else if (neededJob === top.job) throw circularDependencyError(`self-dependency: ${neededJob.name}`);
      else if (neededJob !== undefined && state.get(neededJob) === 'open') {
        throw circularDependencyError(
          path
            .slice(path.findIndex(({ job }) => job === neededJob))
            .map(({ job }) => job.name)
            .join(', '),
        );
      } else if (neededJob !== undefined && !state.has(neededJob)) visitJob(neededJob);
    }
  }
}

function listNeededNames({ needs, instanceNeeds, rules }: CiJob): Set<string> {
  return new Set(
    [...(instanceNeeds ?? [needs]), ...(rules ?? []).map((rule) => rule.needs)].flatMap((all) =>
      (all ?? []).map((need) => need.job),
    ),
  );
}

function circularDependencyError(problem: string): CiFileError {
  return new CiFileError(`The pipeline has circular dependencies: ${problem}`);
}
