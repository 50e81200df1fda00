import type { JobWhen } from '#database/schema.ts';
import { type CiConfiguration, catchCiFileError, type InvalidConfiguration } from '../configuration.ts';
import { type LoadedPaths, PathMatcher, type Paths, PathsRequired, RulePathsError } from '../expressions/paths.ts';
import { expandReferences, expandVariables, toPublicValues, toValues } from '../expressions/variables.ts';
import { configError } from '../keywords/checks.ts';
import { expandParallel } from '../keywords/dependencies.ts';
import type { CiJob } from '../keywords/job.ts';
import type { AllowFailure, CiJobNeed } from '../keywords/job-keywords.ts';
import type { FileVariable, JobOptions } from '../keywords/options.ts';
import { allPartsMatch, anyPartMatches } from '../keywords/policies.ts';
import { type CiRule, findMatchingRule } from '../keywords/rules.ts';
import { EffortBudget } from '../yaml/effort-budget.ts';
import { MAX_FILE_LENGTH } from '../yaml/read-yaml.ts';
import { CiFileError, fileTooLarge } from '../yaml/values.ts';
import { MAX_EXPANDED_LENGTH, resolveJobVariables } from './job-variables.ts';
import type { PlanContext } from './plan-context.ts';

/** A planned job, ready to be inserted. */
export interface PlannedJob {
  readonly name: string;
  readonly stage: string;
  readonly stageIndex: number;
  readonly when: JobWhen;
  readonly allowFailure: boolean;
  readonly tags: readonly string[];
  /** Needed jobs by their names in this pipeline; null: all jobs of earlier stages. */
  readonly needs: readonly PlannedNeed[] | null;
  /** The expanded environment name. */
  readonly environment: string | null;
  /** The expanded resource group key. */
  readonly resourceGroup: string | null;
  /** Seconds. */
  readonly timeoutSeconds: number | null;
  readonly options: JobOptions;
}

export interface PlannedNeed {
  readonly job: string;
  readonly artifacts: boolean;
  readonly optional: boolean;
}

export interface PipelinePlan {
  /** The jobs ordered by stage, then as in the file. */
  readonly jobs: readonly PlannedJob[];
  /** `workflow: name`, expanded. */
  readonly name: string | null;
}

/** Maximum number of jobs of a pipeline. */
export const MAX_JOBS = 1000;

/** Returns the error for a file with more than `MAX_JOBS` jobs. */
export function createTooManyJobsError(): CiFileError {
  return new CiFileError(
    `The number of jobs has exceeded the limit of ${MAX_JOBS}. Try splitting the configuration with parent-child-pipelines`,
  );
}

const MAX_NAME_LENGTH = 255;

/**
 * Plans the jobs of a pipeline. Returns `excluded` if `workflow: rules` exclude the pipeline, `empty` if no job would run, and the error
 * if the selected jobs are inconsistent.
 */
export async function planPipeline(
  configuration: CiConfiguration,
  context: PlanContext,
  effort = new EffortBudget(),
): Promise<PipelinePlan | 'excluded' | 'empty' | InvalidConfiguration> {
  return catchCiFileError(() =>
    withLoadedPaths(context, (loadedPaths) => planWithPaths(configuration, context, effort, loadedPaths)),
  );
}

/** Limit for the refs and projects whose paths the rules of a file compare with. */
const MAX_PATH_SOURCES = 20;

/** Runs `plan` again each time it needs paths that are not loaded. They are unknown before, because they depend on variables of jobs. */
async function withLoadedPaths<T>({ loadPaths }: PlanContext, plan: (loadedPaths: LoadedPaths) => T): Promise<T> {
  const loadedPaths = new Map<string, Paths | string>();
  for (;;) {
    try {
      return plan(loadedPaths);
    } catch (error) {
      if (!(error instanceof PathsRequired)) throw error;
      if (loadedPaths.size >= MAX_PATH_SOURCES) throw fileTooLarge();
      loadedPaths.set(JSON.stringify(error.source), await loadPaths(error.source));
    }
  }
}

function planWithPaths(
  configuration: CiConfiguration,
  context: PlanContext,
  effort: EffortBudget,
  loadedPaths: LoadedPaths,
): PipelinePlan | 'excluded' | 'empty' {
  const paths = new PathMatcher(context.changedPaths, context.files, effort, loadedPaths);
  const variables = resolveWorkflowVariables(configuration, context, paths);
  if (variables === null) return 'excluded';
  const selectedJobs = selectJobs({ configuration, context, paths, variables, effort });
  if (selectedJobs.every(({ job }) => job.stage === '.pre' || job.stage === '.post')) return 'empty';
  requireDistinctNames(selectedJobs);
  return { jobs: resolveNeeds(selectedJobs, effort), name: resolvePipelineName(configuration, context, variables) };
}

/** Throws if two planned jobs have the same name, for example two instances of a matrix. */
function requireDistinctNames(selectedJobs: readonly SelectedJob[]): void {
  const names = new Set<string>();
  for (const { planned } of selectedJobs) {
    if (names.has(planned.name)) throw new CiFileError(`The pipeline has several jobs with the name ${planned.name}`);
    if (planned.name.length > MAX_NAME_LENGTH) {
      throw configError(`jobs:${planned.name}`, `name is too long (maximum is ${MAX_NAME_LENGTH} characters)`);
    }
    names.add(planned.name);
  }
}

/** Returns the global variables and those of the matching workflow rule; null: no rule matches. */
function resolveWorkflowVariables(
  { workflow, variables }: CiConfiguration,
  { predefinedVariables, storedVariables, pipelineVariables }: PlanContext,
  paths: PathMatcher,
): readonly FileVariable[] | null {
  if (workflow.rules === null) return variables;
  const values = toValues(
    expandVariables([...predefinedVariables, ...variables, ...storedVariables(null), ...pipelineVariables]),
  );
  const rule = findMatchingRule(workflow.rules, values, paths);
  return rule === null || rule.when === 'never' ? null : [...variables, ...rule.variables];
}

function resolvePipelineName(
  { workflow }: CiConfiguration,
  { predefinedVariables, storedVariables, pipelineVariables }: PlanContext,
  variables: readonly FileVariable[],
): string | null {
  if (workflow.name === null) return null;
  const values = toPublicValues([...predefinedVariables, ...variables, ...storedVariables(null), ...pipelineVariables]);
  const name = expandReferences(workflow.name, (key) => values.get(key), MAX_FILE_LENGTH).trim();
  return name === '' ? null : name.slice(0, MAX_NAME_LENGTH);
}

/** The input of planning that is the same for all jobs. */
interface PlanState {
  readonly effort: EffortBudget;
  readonly configuration: CiConfiguration;
  readonly context: PlanContext;
  readonly paths: PathMatcher;
  readonly variables: readonly FileVariable[];
}

/** A job of the file that is part of the pipeline, with its needs by their names in the file. */
interface SelectedJob {
  readonly job: CiJob;
  readonly needs: readonly CiJobNeed[] | null;
  readonly planned: PlannedJob;
}

/** Returns the jobs that are part of the pipeline, ordered by stage; a parallel job once for each instance. */
function selectJobs(planning: PlanState): SelectedJob[] {
  const { effort } = planning;
  const selectedJobs: SelectedJob[] = [];
  for (const job of planning.configuration.jobs) {
    const decision = decideJob(job, planning);
    effort.spend(20 + (job.rules?.length ?? 0));
    if (decision === null) continue;
    for (const instance of expandParallel(job, effort)) {
      if (selectedJobs.length >= MAX_JOBS) throw createTooManyJobsError();
      selectedJobs.push(planJob(job, decision, planning, instance));
      effort.spend(20);
    }
  }
  return selectedJobs.sort((a, b) => a.planned.stageIndex - b.planned.stageIndex);
}

/** The result of the rules for a job that the pipeline includes. */
interface JobDecision {
  readonly when: JobWhen;
  readonly startIn: number | null;
  readonly allowFailure: AllowFailure;
  readonly needs: readonly CiJobNeed[] | null;
  readonly variables: readonly FileVariable[];
  readonly interruptible: boolean;
}

const NO_VALUES: ReadonlyMap<string, string> = new Map();

/** Returns how the job is included, or null if `rules`, `only` or `except` exclude it. */
function decideJob(job: CiJob, planning: PlanState): JobDecision | null {
  const { paths, context } = planning;
  const hasConditions = job.rules !== null || job.only !== null || job.except !== null;
  const values = hasConditions
    ? resolveJobVariables(job, planning, listFileVariables(job, planning, [])).values()
    : NO_VALUES;
  if (job.rules !== null) {
    const rule = findRuleOfJob(job.name, job.rules, values, paths);
    return rule === null || rule.when === 'never' ? null : applyRule(job, rule);
  }
  if (job.only !== null && !allPartsMatch(job.only, context, values, paths)) return null;
  if (job.except !== null && anyPartMatches(job.except, context, values, paths)) return null;
  const when = job.when ?? 'on_success';
  return {
    when,
    startIn: job.startIn,
    allowFailure: resolveAllowFailure(job),
    needs: job.needs,
    variables: [],
    interruptible: job.interruptible,
  };
}

/** Returns the first matching rule of a job, or null. Its errors name the job. */
function findRuleOfJob(name: string, ...input: Parameters<typeof findMatchingRule>): CiRule | null {
  try {
    return findMatchingRule(...input);
  } catch (error) {
    if (!(error instanceof RulePathsError)) throw error;
    throw new CiFileError(`Failed to parse rule for ${name}: ${error.message}`);
  }
}

/** The failure of a manual job is allowed unless the file says otherwise. A rule that makes a job manual does not change that. */
function resolveAllowFailure(job: CiJob, rule?: CiRule): AllowFailure {
  const allowed = rule?.allowFailure ?? null;
  if (allowed !== null) return { allowed, exitCodes: null };
  return job.allowFailure ?? { allowed: job.when === 'manual', exitCodes: null };
}

function applyRule(job: CiJob, rule: CiRule): JobDecision {
  const when = rule.when === null || rule.when === 'never' ? (job.when ?? 'on_success') : rule.when;
  return {
    when,
    startIn: when === 'delayed' ? (rule.startIn ?? job.startIn) : null,
    allowFailure: resolveAllowFailure(job, rule),
    // Empty needs of a rule do not replace the job's own.
    needs: rule.needs !== null && rule.needs.length > 0 ? rule.needs : job.needs,
    variables: rule.variables,
    interruptible: rule.interruptible ?? job.interruptible,
  };
}

/** Returns the variables of the file for a job: inherited global ones, its own, those of its rule. */
function listFileVariables(job: CiJob, planning: PlanState, ruleVariables: readonly FileVariable[]): FileVariable[] {
  return [...planning.variables.filter(({ key }) => job.inherits(key)), ...job.variables, ...ruleVariables];
}

function planJob(
  job: CiJob,
  decision: JobDecision,
  planning: PlanState,
  { name, parallel, variables: ownVariables }: ReturnType<typeof expandParallel>[number],
): SelectedJob {
  const { when, startIn, allowFailure, interruptible } = decision;
  const instanceNeeds = parallel && decision.needs === job.needs ? job.instanceNeeds?.[parallel.index - 1] : null;
  const variables = listFileVariables(job, planning, [...ownVariables, ...decision.variables]);
  const resolvedVariables = resolveJobVariables(job, planning, variables, name);
  const expand = (text: string, location: string, noun: string) =>
    requireLength(resolvedVariables.expand(text), location, noun);
  const location = `jobs:${job.name}`;
  const environment =
    resolvedVariables.environment === null
      ? null
      : requireLength(resolvedVariables.environment, `${location}:environment`, 'name');
  return {
    job,
    needs: instanceNeeds ?? decision.needs,
    planned: {
      name,
      stage: job.stage,
      stageIndex: planning.configuration.stages.indexOf(job.stage),
      when,
      allowFailure: allowFailure.allowed,
      tags: [...new Set(job.tags.map((tag) => expand(tag, `${location}:tags`, 'tag')))],
      needs: null,
      environment,
      resourceGroup: job.resourceGroup === null ? null : expand(job.resourceGroup, location, 'resource group'),
      timeoutSeconds: job.timeout,
      options: {
        ...job.options,
        variables,
        dependencies: job.dependencies,
        allow_failure_exit_codes: allowFailure.exitCodes,
        environment: job.environment && {
          ...job.environment,
          auto_stop_in:
            job.environment.auto_stop_in &&
            expand(job.environment.auto_stop_in, `${location}:environment`, 'auto_stop_in'),
          deployment_tier:
            job.environment.deployment_tier &&
            expand(job.environment.deployment_tier, `${location}:environment`, 'deployment_tier'),
        },
        start_in: startIn,
        parallel,
        interruptible,
      },
    },
  };
}

function requireLength(expandedText: string, location: string, noun: string): string {
  if (expandedText.length <= MAX_EXPANDED_LENGTH) return expandedText;
  throw configError(location, `${noun} is too long (maximum is ${MAX_EXPANDED_LENGTH} characters)`);
}

/** Limit for all needs of a pipeline; each instance of a parallel job counts. */
const MAX_NEEDS = 50_000;

/** Resolves needs to the names of jobs in this pipeline. Missing optional needs are dropped. */
function resolveNeeds(selectedJobs: readonly SelectedJob[], effort: EffortBudget): PlannedJob[] {
  const instancesByJobName = Map.groupBy(selectedJobs, ({ job }) => job.name);
  const names = new Set(selectedJobs.map(({ planned }) => planned.name));
  let count = 0;
  return selectedJobs.map(({ needs, planned }) => {
    const resolvedNeeds = needs?.flatMap((need) => resolveNeed(planned.name, need, instancesByJobName, names)) ?? null;
    count += resolvedNeeds?.length ?? 0;
    if (count > MAX_NEEDS) throw fileTooLarge();
    effort.spend((resolvedNeeds?.length ?? 0) / 10);
    return { ...planned, needs: resolvedNeeds };
  });
}

function resolveNeed(
  name: string,
  { job, artifacts, optional }: CiJobNeed,
  instancesByJobName: ReadonlyMap<string, readonly SelectedJob[]>,
  names: ReadonlySet<string>,
): PlannedNeed[] {
  const matchingNames =
    instancesByJobName.get(job)?.map(({ planned }) => planned.name) ?? (names.has(job) ? [job] : []);
  if (matchingNames.length === 0 && !optional) {
    throw new CiFileError(
      `'${name}' job needs '${job}' job, but '${job}' does not exist in the pipeline. This might be because of the only, except, or rules keywords. To need a job that sometimes does not exist in the pipeline, use needs:optional.`,
    );
  }
  return matchingNames.map((matchingName) => ({ job: matchingName, artifacts, optional }));
}
