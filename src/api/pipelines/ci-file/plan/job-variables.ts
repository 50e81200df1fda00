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

/** Limit for the characters of tags, environment names and resource group keys after expansion. */
export const MAX_EXPANDED_LENGTH = 255;

/** The values that are known about a job before it exists. */
interface ResolvedJobVariables {
  /** The environment name, expanded with the variables that apply to all environments. */
  readonly environment: string | null;
  /** The values that rules are evaluated with. */
  readonly values: () => Values;
  /** Expands references in a public text. Too long a result is cut after `MAX_EXPANDED_LENGTH`. Texts without references cost nothing. */
  readonly expand: (text: string) => string;
}

/** Resolves the variables of a job. `fromFile`: its variables in the CI file. `name`: the name of the instance, for parallel jobs. */
export function resolveJobVariables(
  job: CiJob,
  { context: { predefinedVariables, storedVariables, pipelineVariables }, effort }: VariableSources,
  fromFile: readonly FileVariable[],
  name = job.name,
): ResolvedJobVariables {
  const allIn = (environment: string | null): CiVariable[] => {
    const all = [
      ...predefinedVariables,
      { key: 'CI_JOB_NAME', value: name },
      { key: 'CI_JOB_STAGE', value: job.stage },
      ...fromFile,
      ...storedVariables(environment),
      ...pipelineVariables,
    ];
    effort.spend(expansionCost(all));
    return all;
  };
  const onCharacters = (characters: number) => effort.build(characters);
  const unscopedValues = once(() => toPublicValues(allIn(null), onCharacters));
  const environment =
    job.environment &&
    expandReferences(job.environment.name, (key) => unscopedValues().get(key), MAX_EXPANDED_LENGTH).slice(
      0,
      MAX_EXPANDED_LENGTH + 1,
    );
  const environmentValues =
    environment === null ? unscopedValues : once(() => toPublicValues(allIn(environment), onCharacters));
  return {
    environment,
    values: () => toValues(expandVariables(allIn(environment), onCharacters)),
    expand: (text) => expandReferences(text, (key) => environmentValues().get(key), MAX_EXPANDED_LENGTH),
  };
}

function once(make: () => Values): () => Values {
  let values: Values | undefined;
  return () => {
    values ??= make();
    return values;
  };
}
