import { matchesParts } from '#text/safe-regex.ts';

/**
 * Decides which variables reach a job, and which one of several with the same key wins (contract/runners.md §4.5
 * "Reaching jobs"). Pure. Variables given with the pipeline and the job override these (`job-requests/variables.ts`).
 */

export interface ScopedVariable {
  readonly id: number;
  readonly key: string;
  /** Distance from the project: 0 for its own variables, largest for those of the instance. */
  readonly distance: number;
  readonly environment_scope: string;
  readonly protected: boolean;
}

/** The properties of a job that decide about variables. */
export interface ReceivingJob {
  /** Whether the pipeline runs on a protected ref. */
  readonly protected: boolean;
  /** The expanded environment name; null for jobs without an environment. */
  readonly environment: string | null;
}

/** The scope of variables for all environments, and for jobs without one. */
export const ALL_ENVIRONMENTS = '*';

/** Returns the winning variable of each key, in the order of the variables. */
export function selectEffectiveVariables<V extends ScopedVariable>(all: readonly V[], receiver: ReceivingJob): V[] {
  const compareByPrecedence = (a: V, b: V) =>
    b.distance - a.distance || specificity(a, receiver) - specificity(b, receiver) || a.id - b.id;
  const visibleVariables = all.filter((variable) => isVisibleToJob(variable, receiver)).sort(compareByPrecedence);
  const last = new Map(visibleVariables.map((variable) => [variable.key, variable]));
  return visibleVariables.filter((variable) => last.get(variable.key) === variable);
}

function isVisibleToJob(variable: ScopedVariable, receiver: ReceivingJob): boolean {
  return (
    (receiver.protected || !variable.protected) && matchesEnvironment(variable.environment_scope, receiver.environment)
  );
}

function matchesEnvironment(scope: string, environment: string | null): boolean {
  if (scope === ALL_ENVIRONMENTS || scope === environment) return true;
  return environment !== null && scope.includes('*') && matchesParts(environment, scope.split('*'));
}

/** Orders scopes by specificity: `*`, then wildcards by length, then the exact name. */
function specificity({ environment_scope: scope }: ScopedVariable, { environment }: ReceivingJob): number {
  if (scope === environment) return Number.POSITIVE_INFINITY;
  return scope === ALL_ENVIRONMENTS ? 0 : scope.length + 1;
}
