import { matchesParts } from '#authorization/protected-branches/wildcards.ts';

/**
 * Which variables reach a job, and which of several with one key (contract/runners.md §4.5 "Reaching jobs"). Pure. All of
 * what is given with the pipeline and the job comes later, and wins (`job-requests/variables.ts`).
 */

export interface ScopedVariable {
  readonly id: number;
  readonly key: string;
  /** How far above the project it is kept: the instance's farther than any group's, the project's own nearest. */
  readonly distance: number;
  readonly environment_scope: string;
  readonly protected: boolean;
}

/** What of a job decides about variables. */
export interface ReceivingJob {
  /** Its pipeline is one of a protected ref. */
  readonly protected: boolean;
  /** The name of its environment, expanded; null: it has none. */
  readonly environment: string | null;
}

/** What is for every environment, and for jobs without one. */
export const ALL_ENVIRONMENTS = '*';

/** Of each key the one that counts, in the order in which they are looked at. */
export function selectEffectiveVariables<V extends ScopedVariable>(all: readonly V[], receiver: ReceivingJob): V[] {
  const order = (a: V, b: V) =>
    b.distance - a.distance || specificity(a, receiver) - specificity(b, receiver) || a.id - b.id;
  const visibleVariables = all.filter((variable) => isVisibleToJob(variable, receiver)).sort(order);
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

/** `*` least, then wildcards, the shorter ones first, then the name itself. */
function specificity({ environment_scope: scope }: ScopedVariable, { environment }: ReceivingJob): number {
  if (scope === environment) return Number.POSITIVE_INFINITY;
  return scope === ALL_ENVIRONMENTS ? 0 : scope.length + 1;
}
