import { matchesParts } from '#authorization/protected-branches/wildcards.ts';

/**
 * Which variables reach a job, and which of several with one key (contract/runners.md §4.5 "Reaching jobs"). Pure. All of
 * what is given with the pipeline and the job comes later, and wins (`job-requests/variables.ts`).
 */

export interface Kept {
  readonly id: number;
  readonly key: string;
  /** How far above the project it is kept: the instance's farther than any group's, the project's own nearest. */
  readonly distance: number;
  readonly environment_scope: string;
  readonly protected: boolean;
}

/** What of a job decides about variables. */
export interface Receiver {
  /** Its pipeline is one of a protected ref. */
  readonly protected: boolean;
  /** The name of its environment, expanded; null: it has none. */
  readonly environment: string | null;
}

/** What is for every environment, and for jobs without one. */
export const EVERYWHERE = '*';

/** Of each key the one that counts, in the order in which they are looked at. */
export function reaching<V extends Kept>(all: readonly V[], receiver: Receiver): V[] {
  const order = (a: V, b: V) =>
    b.distance - a.distance || exactness(a, receiver) - exactness(b, receiver) || a.id - b.id;
  const found = all.filter((variable) => reaches(variable, receiver)).sort(order);
  const last = new Map(found.map((variable) => [variable.key, variable]));
  return found.filter((variable) => last.get(variable.key) === variable);
}

function reaches(variable: Kept, receiver: Receiver): boolean {
  return (receiver.protected || !variable.protected) && isFor(variable.environment_scope, receiver.environment);
}

function isFor(scope: string, environment: string | null): boolean {
  if (scope === EVERYWHERE || scope === environment) return true;
  return environment !== null && scope.includes('*') && matchesParts(environment, scope.split('*'));
}

/** `*` least, then wildcards, the shorter ones first, then the name itself. */
function exactness({ environment_scope: scope }: Kept, { environment }: Receiver): number {
  if (scope === environment) return Number.POSITIVE_INFINITY;
  return scope === EVERYWHERE ? 0 : scope.length + 1;
}
