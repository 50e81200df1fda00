import type { JobWhen } from '#database/tables/pipelines.ts';
import { type Configuration, type Invalid, orInvalid } from '../configuration.ts';
import { Paths } from '../expressions/paths.ts';
import { expandText, expandVariables, shownValuesOf, valuesOf } from '../expressions/variables.ts';
import { wrong } from '../keywords/checks.ts';
import type { Job } from '../keywords/job.ts';
import type { AllowFailure, Need } from '../keywords/job-keywords.ts';
import type { FileVariable, JobOptions } from '../keywords/options.ts';
import { instancesOf } from '../keywords/parallel.ts';
import { allHold, anyHolds } from '../keywords/policies.ts';
import { firstMatch, type Rule } from '../keywords/rules.ts';
import { Effort } from '../yaml/effort-budget.ts';
import { CiFileInvalid } from '../yaml/values.ts';
import { givenTo } from './job-variables.ts';
import type { PlanContext } from './plan-context.ts';

/** A job as its row will be. */
export interface PlannedJob {
  readonly name: string;
  readonly stage: string;
  readonly stageIndex: number;
  readonly when: JobWhen;
  readonly allowFailure: boolean;
  readonly tags: readonly string[];
  /** By the names of the pipeline's jobs, all of them there; null: all jobs of earlier stages. */
  readonly needs: readonly PlannedNeed[] | null;
  /** Its name, expanded. */
  readonly environment: string | null;
  /** Its key, expanded. */
  readonly resourceGroup: string | null;
  /** Seconds. */
  readonly timeout: number | null;
  readonly options: JobOptions;
}

export interface PlannedNeed {
  readonly job: string;
  readonly artifacts: boolean;
  readonly optional: boolean;
}

export interface Plan {
  /** In the order of stages, within one in that of the file. */
  readonly jobs: readonly PlannedJob[];
  /** `workflow: name`, expanded. */
  readonly name: string | null;
}

export const MOST_JOBS = 1000;

export function tooManyJobs(): CiFileInvalid {
  return new CiFileInvalid(
    `The number of jobs has exceeded the limit of ${MOST_JOBS}. Try splitting the configuration with parent-child-pipelines`,
  );
}

const LONGEST_NAME = 255;

/**
 * The jobs of a pipeline. `refused`: `workflow: rules` don't want one. `empty`: there is nothing to run. Invalid: what is left
 * of the file does not fit together.
 */
export async function planPipeline(
  configuration: Configuration,
  context: PlanContext,
): Promise<Plan | 'refused' | 'empty' | Invalid> {
  return orInvalid(async () => {
    const paths = new Paths(context.changedPaths, context.files);
    const variables = workflowVariables(configuration, context, paths);
    if (variables === null) return 'refused';
    const chosen = await choose({ configuration, context, paths, variables, effort: new Effort() });
    if (chosen.every(({ job }) => job.stage === '.pre' || job.stage === '.post')) return 'empty';
    requireDistinctNames(chosen);
    return { jobs: namedNeeds(chosen), name: pipelineName(configuration, context, variables) };
  });
}

/** Two instances of a matrix, or one and a job with its name, would be one and the same. */
function requireDistinctNames(chosen: readonly Chosen[]): void {
  const names = new Set<string>();
  for (const { planned } of chosen) {
    if (names.has(planned.name)) throw new CiFileInvalid(`The pipeline has several jobs with the name ${planned.name}`);
    if (planned.name.length > LONGEST_NAME) {
      throw wrong(`jobs:${planned.name}`, `name is too long (maximum is ${LONGEST_NAME} characters)`);
    }
    names.add(planned.name);
  }
}

/** The global variables, with those of the rule that has let the pipeline in; null: none has. */
function workflowVariables(
  { workflow, variables }: Configuration,
  { predefined, keptFor, given }: PlanContext,
  paths: Paths,
): readonly FileVariable[] | null {
  if (workflow.rules === null) return variables;
  const values = valuesOf(expandVariables([...predefined, ...variables, ...keptFor(null), ...given]));
  const rule = firstMatch(workflow.rules, values, paths);
  return rule === null || rule.when === 'never' ? null : [...variables, ...rule.variables];
}

function pipelineName(
  { workflow }: Configuration,
  { predefined, keptFor, given }: PlanContext,
  variables: readonly FileVariable[],
): string | null {
  if (workflow.name === null) return null;
  const values = shownValuesOf([...predefined, ...variables, ...keptFor(null), ...given]);
  const name = expandText(workflow.name, (key) => values.get(key)).trim();
  return name === '' ? null : name.slice(0, LONGEST_NAME);
}

interface Planning {
  readonly effort: Effort;
  readonly configuration: Configuration;
  readonly context: PlanContext;
  readonly paths: Paths;
  readonly variables: readonly FileVariable[];
}

interface Chosen {
  readonly job: Job;
  readonly needs: readonly Need[] | null;
  readonly planned: PlannedJob;
}

async function choose(planning: Planning): Promise<Chosen[]> {
  const { effort } = planning;
  const chosen: Chosen[] = [];
  for (const job of planning.configuration.jobs) {
    const decision = decide(job, planning);
    if (effort.spend(20 + (job.rules?.length ?? 0))) await effort.giveWay();
    if (decision === null) continue;
    for (const each of instancesOf(job)) {
      if (chosen.length >= MOST_JOBS) throw tooManyJobs();
      chosen.push(planned(job, decision, planning, each));
      if (effort.spend(20)) await effort.giveWay();
    }
  }
  return chosen.sort((a, b) => a.planned.stageIndex - b.planned.stageIndex);
}

/** How a job is part of the pipeline. */
interface Decision {
  readonly when: JobWhen;
  readonly startIn: number | null;
  readonly allowFailure: AllowFailure;
  readonly needs: readonly Need[] | null;
  readonly variables: readonly FileVariable[];
  readonly interruptible: boolean;
}

const NOTHING: ReadonlyMap<string, string> = new Map();
const NEVER: AllowFailure = { allowed: false, exitCodes: null };

/** Null: the job is out. */
function decide(job: Job, planning: Planning): Decision | null {
  const { paths, context } = planning;
  const isAsked = job.rules !== null || job.only !== null || job.except !== null;
  const values = isAsked ? givenTo(job, planning, fileVariables(job, planning, [])).values() : NOTHING;
  if (job.rules !== null) {
    const rule = firstMatch(job.rules, values, paths);
    return rule === null || rule.when === 'never' ? null : byRule(job, rule);
  }
  if (job.only !== null && !allHold(job.only, context, values, paths)) return null;
  if (job.except !== null && anyHolds(job.except, context, values, paths)) return null;
  const when = job.when ?? 'on_success';
  return {
    when,
    startIn: job.startIn,
    allowFailure: job.allowFailure ?? { allowed: when === 'manual', exitCodes: null },
    needs: job.needs,
    variables: [],
    interruptible: job.interruptible,
  };
}

function byRule(job: Job, rule: Rule): Decision {
  const when = rule.when === null || rule.when === 'never' ? (job.when ?? 'on_success') : rule.when;
  return {
    when,
    startIn: when === 'delayed' ? (rule.startIn ?? job.startIn) : null,
    allowFailure: rule.allowFailure ?? job.allowFailure ?? NEVER,
    needs: rule.needs ?? job.needs,
    variables: rule.variables,
    interruptible: rule.interruptible ?? job.interruptible,
  };
}

/** What the file gives a job: global variables that it takes over, its own, those of its rule. */
function fileVariables(job: Job, planning: Planning, more: readonly FileVariable[]): FileVariable[] {
  return [...planning.variables.filter(({ key }) => job.inherits(key)), ...job.variables, ...more];
}

function planned(
  job: Job,
  decision: Decision,
  planning: Planning,
  { name, parallel, variables: own }: ReturnType<typeof instancesOf>[number],
): Chosen {
  const { when, startIn, allowFailure, needs, interruptible } = decision;
  const variables = fileVariables(job, planning, [...own, ...decision.variables]);
  const { environment, expand } = givenTo(job, planning, variables, name);
  return {
    job,
    needs,
    planned: {
      name,
      stage: job.stage,
      stageIndex: planning.configuration.stages.indexOf(job.stage),
      when,
      allowFailure: allowFailure.allowed,
      tags: [...new Set(job.tags.map(expand))],
      needs: null,
      environment,
      resourceGroup: job.resourceGroup === null ? null : expand(job.resourceGroup),
      timeout: job.timeout,
      options: {
        ...job.options,
        variables,
        dependencies: job.dependencies,
        allow_failure_exit_codes: allowFailure.exitCodes,
        environment: job.environment && {
          ...job.environment,
          auto_stop_in: job.environment.auto_stop_in && expand(job.environment.auto_stop_in),
        },
        start_in: startIn,
        parallel,
        interruptible,
      },
    },
  };
}

/** The jobs with what they need by the names that it has in this pipeline; an optional need that is not there is none. */
function namedNeeds(chosen: readonly Chosen[]): PlannedJob[] {
  const instances = Map.groupBy(chosen, ({ job }) => job.name);
  const names = new Set(chosen.map(({ planned }) => planned.name));
  return chosen.map(({ needs, planned }) => ({
    ...planned,
    needs: needs?.flatMap((need) => namesOf(planned.name, need, instances, names)) ?? null,
  }));
}

function namesOf(
  name: string,
  { job, artifacts, optional }: Need,
  instances: ReadonlyMap<string, readonly Chosen[]>,
  names: ReadonlySet<string>,
): PlannedNeed[] {
  const found = instances.get(job)?.map(({ planned }) => planned.name) ?? (names.has(job) ? [job] : []);
  if (found.length === 0 && !optional) {
    throw new CiFileInvalid(
      `'${name}' job needs '${job}' job, but '${job}' does not exist in the pipeline. This might be because of the only, except, or rules keywords. To need a job that sometimes does not exist in the pipeline, use needs:optional.`,
    );
  }
  return found.map((each) => ({ job: each, artifacts, optional }));
}
