import { catchCiFileError, inspectCiFile } from './configuration.ts';
import { type CiLintJobRow, listJobsOfFile, listJobsOfPlan } from './plan/listed-jobs.ts';
import { planPipeline } from './plan/plan.ts';
import type { ContextNeeds, PlanContext } from './plan/plan-context.ts';
import { type StoredPlan, toStoredPlan } from './plan/stored-plan.ts';
import { EffortBudget } from './yaml/effort-budget.ts';
import type { ReadFile } from './yaml/includes.ts';
import { toYaml } from './yaml/write-yaml.ts';

/** The requested parts of an evaluation. */
export interface CiFileTask {
  readonly path: string;
  /** Plans a pipeline; the context is loaded for it. */
  readonly plan: boolean;
  /** Writes the merged file. */
  readonly merge: boolean;
  /** Lists the jobs: those of the plan, else all of the file. */
  readonly listJobs: boolean;
}

/** Provides the files and the context of an evaluation. */
interface CiFileHost {
  readonly readFile: ReadFile;
  /** Called once, for a valid file whose pipeline is planned. `invalid` is an error of the file. */
  readonly loadContext: (needs: ContextNeeds) => Promise<PlanContext | { readonly invalid: string }>;
}

/** The result of an evaluation. */
export interface CiFileEvaluation {
  /** `missing`: there is no file; `excluded`: `workflow: rules` exclude the pipeline; `empty`: no job would run. */
  readonly outcome: 'missing' | 'excluded' | 'empty' | 'valid' | { readonly invalid: string };
  /** The plan, if requested and the outcome is `valid`. */
  readonly plan: StoredPlan | null;
  /** The merged file as YAML; null if it was not requested or failed. */
  readonly merged: string | null;
  /** Paths of included files, each once. */
  readonly includes: readonly string[];
  readonly jobs: readonly CiLintJobRow[] | null;
  readonly warnings: readonly string[];
}

/** Maximum length of an error that is stored and shown: names in it may be as long as the file. */
const MAX_ERROR_LENGTH = 10_000;

/** The parts of an evaluation that were not requested or failed. */
const NO_RESULTS = { plan: null, merged: null, includes: [], jobs: null, warnings: [] } as const;

/** The evaluation of a file that exceeded the memory or time of the thread. */
export function failedEvaluation(invalid: string): CiFileEvaluation {
  return { ...NO_RESULTS, outcome: { invalid } };
}

/** Reads a CI file with its includes, and returns the parts that the task requests. One budget limits all the work. */
export async function evaluateCiFile(task: CiFileTask, host: CiFileHost): Promise<CiFileEvaluation> {
  const effort = new EffortBudget();
  const inspection = await inspectCiFile(task.path, host.readFile, effort);
  if (inspection === null) return { ...NO_RESULTS, outcome: 'missing' };
  const { configuration, includes, warnings } = inspection;
  const merged = task.merge && inspection.merged !== null ? toYaml(inspection.merged) : null;
  const base = { ...NO_RESULTS, merged, includes, warnings };
  const failWith = (invalid: string): CiFileEvaluation => ({
    ...base,
    outcome: { invalid: invalid.slice(0, MAX_ERROR_LENGTH) },
  });
  if ('invalid' in configuration) return failWith(configuration.invalid);
  const result = await catchCiFileError(async () => {
    if (!task.plan) {
      const jobs = task.listJobs ? listJobsOfFile(configuration, inspection.merged!, effort) : null;
      return { ...base, jobs, outcome: 'valid' as const };
    }
    const context = await host.loadContext({
      ...configuration.usesPaths,
      environments: configuration.jobs.some(({ environment }) => environment !== null),
    });
    if ('invalid' in context) return context;
    const plan = await planPipeline(configuration, context, effort);
    if (typeof plan === 'string') return { ...base, outcome: plan };
    if ('invalid' in plan) return plan;
    const jobs = task.listJobs ? listJobsOfPlan(plan) : null;
    return { ...base, jobs, plan: toStoredPlan(plan, effort), outcome: 'valid' as const };
  });
  return 'invalid' in result ? failWith(result.invalid) : result;
}
