import {
  type CiVariable,
  estimateExpansionCost,
  expandReferences,
  expandVariables,
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

/** Limit for the characters of tags, environment names and resource group keys after expansion. */
export const MAX_EXPANDED_LENGTH = 255;

/** The values that are known about a job before it exists. */
interface ResolvedJobVariables {
  /** The environment name, expanded with the variables that apply to all environments. */
  readonly environment: string | null;
  /** The values that rules are evaluated with. */
  readonly values: () => Values;
  /** Expands references in a public text. A result longer than `MAX_EXPANDED_LENGTH` is truncated. Texts without references spend no effort. */
  readonly expand: (text: string) => string;
}

/** Resolves the variables of a job. `fileVariables`: its variables in the CI file. `name`: for parallel jobs, the name of the instance. */
export function resolveJobVariables(
  job: CiJob,
  { context: { predefinedVariables, storedVariables, pipelineVariables }, effort }: VariableSources,
  fileVariables: readonly FileVariable[],
  name = job.name,
): ResolvedJobVariables {
  const listVariables = (environment: string | null): CiVariable[] => {
    const variables = [
      ...predefinedVariables,
      { key: 'CI_JOB_NAME', value: name },
      { key: 'CI_JOB_STAGE', value: job.stage },
      ...fileVariables,
      ...storedVariables(environment),
      ...pipelineVariables,
    ];
    effort.spend(estimateExpansionCost(variables));
    return variables;
  };
  const spendCharacters = (characters: number) => effort.spendCharacters(characters);
  const unscopedValues = once(() => toPublicValues(listVariables(null), spendCharacters));
  const environment =
    job.environment &&
    expandReferences(job.environment.name, (key) => unscopedValues().get(key), MAX_EXPANDED_LENGTH).slice(
      0,
      MAX_EXPANDED_LENGTH + 1,
    );
  const environmentValues =
    environment === null ? unscopedValues : once(() => toPublicValues(listVariables(environment), spendCharacters));
  return {
    environment,
    values: () => toValues(expandVariables(listVariables(environment), spendCharacters)),
    expand: (text) => expandReferences(text, (key) => environmentValues().get(key), MAX_EXPANDED_LENGTH),
  };
}

/** Returns a function that calls `compute` on its first call only. */
function once(compute: () => Values): () => Values {
  let values: Values | undefined;
  return () => {
    values ??= compute();
    return values;
  };
}
