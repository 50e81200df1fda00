import {
  type CiVariable,
  expandReferences,
  expandVariables,
  expansionCost,
  toPublicValues,
  toValues,
} from '../expressions/variables.ts';
import type { CiJob } from '../keywords/job.ts';
import type { FileVariable } from '../keywords/options.ts';
import type { EffortBudget } from '../yaml/effort-budget.ts';
import type { PlanContext } from './plan-context.ts';

interface VariableSources {
  readonly context: PlanContext;
  readonly effort: EffortBudget;
}

type Values = ReadonlyMap<string, string>;

/** The values that are known about a job before it exists. */
interface ResolvedJobVariables {
  /** The environment name, expanded with the variables that apply to all environments. */
  readonly environment: string | null;
  /** The values that rules are evaluated with. */
  readonly values: () => Values;
  /** Expands references in a public text. Texts without references cost nothing. */
  readonly expand: (text: string) => string;
}

/** Resolves the variables of a job. `fromFile`: its variables in the CI file. `name`: the name of the instance, for parallel jobs. */
export function resolveJobVariables(
  job: CiJob,
  { context: { predefined, storedVariables, pipelineVariables }, effort }: VariableSources,
  fromFile: readonly FileVariable[],
  name = job.name,
): ResolvedJobVariables {
  const allIn = (environment: string | null): CiVariable[] => {
    const all = [
      ...predefined,
      { key: 'CI_JOB_NAME', value: name },
      { key: 'CI_JOB_STAGE', value: job.stage },
      ...fromFile,
      ...storedVariables(environment),
      ...pipelineVariables,
    ];
    effort.spend(expansionCost(all));
    return all;
  };
  const anywhere = once(() => toPublicValues(allIn(null)));
  const environment = job.environment && expandReferences(job.environment.name, (key) => anywhere().get(key));
  const here = environment === null ? anywhere : once(() => toPublicValues(allIn(environment)));
  return {
    environment,
    values: () => toValues(expandVariables(allIn(environment))),
    expand: (text) => expandReferences(text, (key) => here().get(key)),
  };
}

function once(make: () => Values): () => Values {
  let made: Values | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
