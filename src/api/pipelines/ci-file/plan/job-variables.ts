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
  const charge = (characters: number) => effort.build(characters);
  const anywhere = once(() => toPublicValues(allIn(null), charge));
  const environment =
    job.environment &&
    expandReferences(job.environment.name, (key) => anywhere().get(key), MAX_EXPANDED_LENGTH).slice(
      0,
      MAX_EXPANDED_LENGTH + 1,
    );
  const here = environment === null ? anywhere : once(() => toPublicValues(allIn(environment), charge));
  return {
    environment,
    values: () => toValues(expandVariables(allIn(environment), charge)),
    expand: (text) => expandReferences(text, (key) => here().get(key), MAX_EXPANDED_LENGTH),
  };
}

function once(make: () => Values): () => Values {
  let made: Values | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
