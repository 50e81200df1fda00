import type { EffortBudget } from '../yaml/effort-budget.ts';
import { CiFileError } from '../yaml/values.ts';
import type { CiJob } from './job.ts';
import type { CiJobNeed, MatrixCombination } from './job-keywords.ts';

// Checks of references between jobs (`needs`, `dependencies`, `on_stop`), whether or not a pipeline contains all of the jobs
// (contract/runners.md §6).

const MAX_NEEDS = 50;

/** Throws for the first job with an unknown stage or an invalid reference. Errors name the first instance of a parallel job. */
export function checkDependencies(jobs: readonly CiJob[], stages: readonly string[], effort: EffortBudget): void {
  const stageIndexes = new Map(stages.map((stage, position) => [stage, position]));
  const instanceNames = new Map(
    jobs.map((job) => [job, job.parallel === null ? [job.name] : listParallelNames(job, effort)] as const),
  );
  const jobsByName = new Map(
    [...instanceNames].flatMap(([job, names]) => [job.name, ...names].map((name) => [name, job] as const)),
  );
  const check: DependencyCheck = { stages, stageIndexes, instanceNames, jobsByName, effort };
  for (const [job, names] of instanceNames) if (names.length > 0) checkJob(job, names, check);
  checkCycles(jobs, jobsByName);
}

/** The input of the checks that is the same for all jobs. */
interface DependencyCheck {
  readonly stages: readonly string[];
  readonly stageIndexes: ReadonlyMap<string, number>;
  readonly instanceNames: ReadonlyMap<CiJob, readonly string[]>;
  readonly jobsByName: ReadonlyMap<string, CiJob>;
  readonly effort: EffortBudget;
}

function checkJob(job: CiJob, names: readonly string[], check: DependencyCheck): void {
  const { stage, dependencies, instanceNeeds, rules } = job;
  const name = names[0]!;
  if (!check.stageIndexes.has(stage)) {
    const knownStages = check.stages.join(', ');
    throw new CiFileError(`${name} job: chosen stage ${stage} does not exist; available stages are ${knownStages}`);
  }
  const subject = { name, stage };
  for (const dependency of listInstances(dependencies ?? [], check)) {
    checkReference(subject, dependency, 'dependency', check);
  }
  const ownNeeds = instanceNeeds ?? [job.needs];
  for (const [index, needs] of ownNeeds.entries()) checkNeeds({ name: names[index]!, stage }, needs ?? [], check);
  for (const { needs } of rules ?? []) checkNeeds(subject, needs ?? [], check);
  checkEnvironment(name, job, check);
}

/** A job that is not parallel, or an instance of a parallel job. */
type Subject = Pick<CiJob, 'name' | 'stage'>;

/** Returns the names with those of parallel jobs replaced by the names of all their instances. */
function listInstances(names: readonly string[], { jobsByName, instanceNames, effort }: DependencyCheck): string[] {
  const instances = names.flatMap((name) => {
    const job = jobsByName.get(name);
    return job?.name === name ? instanceNames.get(job)! : [name];
  });
  effort.spend((instances.length - names.length) / 2);
  return instances;
}

function checkNeeds(subject: Subject, needs: readonly CiJobNeed[], check: DependencyCheck): void {
  for (const need of needs) {
    if (need.optional && !check.jobsByName.has(need.job)) continue;
    for (const name of listInstances([need.job], check)) checkReference(subject, name, 'need', check);
  }
  const names = listInstances(
    needs.map((need) => need.job),
    check,
  );
  const seenNames = new Set<string>();
  const duplicateNames = new Set<string>();
  for (const name of names) (seenNames.has(name) ? duplicateNames : seenNames).add(name);
  if (duplicateNames.size > 0)
    throw new CiFileError(`${subject.name} has the following needs duplicated: ${[...duplicateNames].join(', ')}.`);
  if (names.length > MAX_NEEDS) {
    throw new CiFileError(
      `${subject.name}: one job can only need ${MAX_NEEDS} others, but you have listed ${names.length}. See needs keyword documentation for more details`,
    );
  }
}

function checkReference(
  { name, stage }: Subject,
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

function checkEnvironment(name: string, { environment }: CiJob, { jobsByName }: DependencyCheck): void {
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

/** One instance of a parallel job. */
interface ParallelInstance {
  readonly name: string;
  readonly parallel: { readonly index: number; readonly total: number } | null;
  readonly variables: readonly { readonly key: string; readonly value: string; readonly raw: false }[];
}

/** Returns the instances of a job: `NAME i/n`, or `NAME: [values]` for a matrix. */
export function expandParallel(
  { name, parallel }: Pick<CiJob, 'name' | 'parallel'>,
  effort: EffortBudget,
): ParallelInstance[] {
  if (parallel === null) return [{ name, parallel: null, variables: [] }];
  if ('total' in parallel) {
    const { total } = parallel;
    effort.spend(total / 10);
    return Array.from({ length: total }, (_, at) => ({
      name: `${name} ${at + 1}/${total}`,
      parallel: { index: at + 1, total },
      variables: [],
    }));
  }
  const total = parallel.matrix.length;
  return parallel.matrix.map((combination, at) => {
    effort.spend(1);
    effort.spendCharacters(combination.reduce((sum, { value }) => sum + value.length, name.length));
    return {
      name: formatMatrixName(name, combination),
      parallel: { index: at + 1, total },
      variables: combination.map((each) => ({ ...each, raw: false as const })),
    };
  });
}

/** Returns the name of the instance of a matrix job with these values. */
function formatMatrixName(name: string, combination: MatrixCombination): string {
  return `${name}: [${combination.map(({ value }) => value).join(', ')}]`;
}

/** Returns the names of the instances, where they differ from the job's name. */
function listParallelNames(job: Pick<CiJob, 'name' | 'parallel'>, effort: EffortBudget): string[] {
  return job.parallel === null ? [] : expandParallel(job, effort).map(({ name }) => name);
}

/** An expression in `needs` for a matrix variable of the instance that has the needs: `$[[ matrix.KEY ]]`. */
const EXPRESSION = /\$\[\[\s*matrix\.([\w-]+)\s*\]\]/g;

/**
 * Replaces expressions in `needs` by the variables of each instance. Replaces a need that selects instances of a parallel job by one need
 * for each of them. In a file without parallel jobs, expressions stay texts.
 */
export function resolveInstanceNeeds(jobs: readonly CiJob[], effort: EffortBudget): readonly CiJob[] {
  const parallelNames = new Set(jobs.filter(({ parallel }) => parallel !== null).map(({ name }) => name));
  if (parallelNames.size === 0) return jobs;
  const problems = new Set<string>();
  const selectInstances = (needs: readonly CiJobNeed[] | null) =>
    needs && selectNeededInstances(needs, parallelNames, effort);
  const resolvedJobs = jobs.map((job): CiJob => {
    const { needs, rules } = job;
    const rulesWithNeeds = rules?.map((rule) => ({ ...rule, needs: selectInstances(rule.needs) })) ?? null;
    if (needs === null || !hasExpression(needs))
      return { ...job, needs: selectInstances(needs), rules: rulesWithNeeds };
    const instanceNeeds = expandParallel(job, effort).map(({ variables }) => {
      const values = new Map(variables.map(({ key, value }) => [key, value]));
      const onUnknown = (key: string) =>
        problems.add(`${job.name} job: '${key}' does not exist in matrix configuration`);
      return selectInstances(replaceExpressions(needs, values, onUnknown, effort))!;
    });
    return { ...job, needs: instanceNeeds[0] ?? [], instanceNeeds, rules: rulesWithNeeds };
  });
  if (problems.size > 0) throw new CiFileError([...problems].join(', '));
  return resolvedJobs;
}

function selectNeededInstances(
  needs: readonly CiJobNeed[],
  parallelNames: ReadonlySet<string>,
  effort: EffortBudget,
): readonly CiJobNeed[] {
  return needs.flatMap((need) => {
    if (need.matrix === null || !parallelNames.has(need.job)) return need;
    effort.spend(need.matrix.length / 10);
    return need.matrix.map((combination) => ({
      ...need,
      job: formatMatrixName(need.job, combination),
      matrix: null,
    }));
  });
}

function listTexts({ job, matrix }: CiJobNeed): string[] {
  return [job, ...(matrix ?? []).flatMap((combination) => combination.map(({ value }) => value))];
}

function hasExpression(needs: readonly CiJobNeed[]): boolean {
  return needs.some((need) => listTexts(need).some((text) => text.search(EXPRESSION) >= 0));
}

function replaceExpressions(
  needs: readonly CiJobNeed[],
  values: ReadonlyMap<string, string>,
  onUnknown: (key: string) => void,
  effort: EffortBudget,
): CiJobNeed[] {
  const replace = (text: string) =>
    text.replace(EXPRESSION, (expression, key: string) => {
      const value = values.get(key);
      if (value === undefined) onUnknown(key);
      return value ?? expression;
    });
  const replaceValues = (combination: MatrixCombination) =>
    combination.map(({ key, value }) => ({ key, value: replace(value) }));
  return needs.map((need) => {
    const texts = listTexts(need);
    effort.spend(texts.length);
    effort.spendCharacters(texts.reduce((sum, text) => sum + text.length, 0));
    return { ...need, job: replace(need.job), matrix: need.matrix?.map(replaceValues) ?? null };
  });
}
