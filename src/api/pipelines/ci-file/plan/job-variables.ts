import {
  type CiVariable,
  costOfExpanding,
  expandText,
  expandVariables,
  shownValuesOf,
  valuesOf,
} from '../expressions/variables.ts';
import type { Job } from '../keywords/job.ts';
import type { FileVariable } from '../keywords/options.ts';
import type { Effort } from '../yaml/effort-budget.ts';
import type { PlanContext } from './plan-context.ts';

interface Giving {
  readonly context: PlanContext;
  readonly effort: Effort;
}

type Values = ReadonlyMap<string, string>;

/** What a job can be told by the variables that are known before there is one. */
interface GivenTo {
  /** Its name, by what is kept for every environment. */
  readonly environment: string | null;
  /** What its rules see. */
  readonly values: () => Values;
  /** A text that others read, with the references in it replaced. Most have none, and cost nothing. */
  readonly expand: (text: string) => string;
}

/** `fromFile`: what the file gives it. `name`: its own, where it is one of several. */
export function givenTo(
  job: Job,
  { context: { predefined, keptFor, given }, effort }: Giving,
  fromFile: readonly FileVariable[],
  name = job.name,
): GivenTo {
  const allIn = (environment: string | null): CiVariable[] => {
    const all = [
      ...predefined,
      { key: 'CI_JOB_NAME', value: name },
      { key: 'CI_JOB_STAGE', value: job.stage },
      ...fromFile,
      ...keptFor(environment),
      ...given,
    ];
    effort.spend(costOfExpanding(all));
    return all;
  };
  const anywhere = once(() => shownValuesOf(allIn(null)));
  const environment = job.environment && expandText(job.environment.name, (key) => anywhere().get(key));
  const here = environment === null ? anywhere : once(() => shownValuesOf(allIn(environment)));
  return {
    environment,
    values: () => valuesOf(expandVariables(allIn(environment))),
    expand: (text) => expandText(text, (key) => here().get(key)),
  };
}

function once(make: () => Values): () => Values {
  let made: Values | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
