import { CiFileInvalid } from '../yaml/values.ts';
import type { Job } from './job.ts';
import type { Need } from './job-keywords.ts';
import { parallelNames } from './parallel.ts';

/** What jobs say of each other (contract/runners.md §6), whether or not a pipeline has them all. */

const MOST_NEEDS = 50;

/** Throws for the first job that is in no stage, or refers to what is not there. */
export function checkDependencies(jobs: readonly Job[], stages: readonly string[]): void {
  const index = new Map(stages.map((stage, at) => [stage, at]));
  const byName = new Map(jobs.flatMap((job) => [job.name, ...parallelNames(job)].map((name) => [name, job] as const)));
  const checking: Checking = { stages, index, byName };
  for (const job of jobs) checkJob(job, checking);
  checkCircles(jobs, byName);
}

interface Checking {
  readonly stages: readonly string[];
  readonly index: ReadonlyMap<string, number>;
  readonly byName: ReadonlyMap<string, Job>;
}

function checkJob(job: Job, checking: Checking): void {
  const { name, stage, dependencies, rules } = job;
  if (!checking.index.has(stage)) {
    const known = checking.stages.join(', ');
    throw new CiFileInvalid(`${name} job: chosen stage ${stage} does not exist; available stages are ${known}`);
  }
  for (const each of dependencies ?? []) checkReference(job, each, 'dependency', checking);
  for (const needs of [job.needs, ...(rules ?? []).map((rule) => rule.needs)]) checkNeeds(job, needs ?? [], checking);
  checkEnvironment(job, checking);
}

function checkNeeds(job: Job, needs: readonly Need[], checking: Checking): void {
  const names = needs.map((need) => need.job);
  const counted = new Set<string>();
  const twice = new Set<string>();
  for (const name of names) (counted.has(name) ? twice : counted).add(name);
  if (twice.size > 0)
    throw new CiFileInvalid(`${job.name} has the following needs duplicated: ${[...twice].join(', ')}.`);
  for (const need of needs) {
    if (!need.optional || checking.byName.has(need.job)) checkReference(job, need.job, 'need', checking);
  }
  if (needs.length > MOST_NEEDS) {
    throw new CiFileInvalid(
      `${job.name} job: one job can only need ${MOST_NEEDS} others, but you have listed ${needs.length}. See needs keyword documentation for more details`,
    );
  }
}

function checkReference({ name, stage }: Job, other: string, kind: 'need' | 'dependency', checking: Checking): void {
  const found = checking.byName.get(other);
  if (found === undefined) throw new CiFileInvalid(`${name} job: undefined ${kind}: ${other}`);
  const at = checking.index.get(found.stage);
  if (at === undefined || at > checking.index.get(stage)!) {
    throw new CiFileInvalid(`${name} job: ${kind} ${other} is not defined in current or prior stages`);
  }
}

function checkEnvironment({ name, environment }: Job, { byName }: Checking): void {
  const stop = environment?.on_stop;
  if (environment == null || stop == null) return;
  const said = `${name} job: on_stop job ${stop}`;
  const job = byName.get(stop);
  if (job === undefined) throw new CiFileInvalid(`${said} is not defined`);
  if (job.environment === null) throw new CiFileInvalid(`${said} does not have environment defined`);
  if (job.environment.name !== environment.name) throw new CiFileInvalid(`${said} have different environment name`);
  if (job.environment.action !== 'stop') throw new CiFileInvalid(`${said} needs to have action stop defined`);
}

/** Follows needs without recursion, as many jobs may stand in one row. */
function checkCircles(jobs: readonly Job[], byName: ReadonlyMap<string, Job>): void {
  const state = new Map<Job, 'open' | 'done'>();
  for (const first of jobs) {
    const path: { readonly job: Job; readonly next: Iterator<string> }[] = [];
    const enter = (job: Job) => {
      state.set(job, 'open');
      path.push({ job, next: neededBy(job).values() });
    };
    if (!state.has(first)) enter(first);
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const { value, done } = top.next.next();
      const needed = done ? undefined : byName.get(value);
      if (done) state.set(path.pop()!.job, 'done');
      else if (needed === top.job) throw circular(`self-dependency: ${needed.name}`);
      else if (needed !== undefined && state.get(needed) === 'open') {
        throw circular(
          path
            .slice(path.findIndex(({ job }) => job === needed))
            .map(({ job }) => job.name)
            .join(', '),
        );
      } else if (needed !== undefined && !state.has(needed)) enter(needed);
    }
  }
}

function neededBy({ needs, rules }: Job): Set<string> {
  return new Set(
    [needs, ...(rules ?? []).map((rule) => rule.needs)].flatMap((all) => (all ?? []).map((need) => need.job)),
  );
}

function circular(how: string): CiFileInvalid {
  return new CiFileInvalid(`The pipeline has circular dependencies: ${how}`);
}
