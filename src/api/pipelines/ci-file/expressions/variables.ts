import { matchesParts } from '#text/safe-regex.ts';

/** A variable of a pipeline or job, as sent to runners. */
export interface CiVariable {
  readonly key: string;
  readonly value: string;
  /** Whether the value is literal: the server replaces nothing in it, and only the runner expands references to the variable. */
  readonly raw?: boolean;
  /** Whether the value is the content of a file. For the job, the variable contains its path, which only the runner knows. */
  readonly file?: boolean;
  /** Whether the value is secret. */
  readonly masked?: boolean;
}

/** Limit for the total length of expanded values, because nested references (`A: $B$B`, `B: $C$C`, ...) double each time. */
const MAX_CHARACTERS = 1024 * 1024;
/** Limit for the number of references that are resolved in total. */
const MAX_REFERENCES = 100_000;

/** `$$` comes first, so that `$$NAME` is not a reference. */
const REFERENCE = /\$\$|\$\{([A-Za-z_][A-Za-z0-9_]*)\}|\$([A-Za-z_][A-Za-z0-9_]*)|%([A-Za-z_][A-Za-z0-9_]*)%/g;

const mayHaveReferences = (text: string) => text.includes('$') || text.includes('%');

/**
 * Replaces `$NAME`, `${NAME}` and `%NAME%` by `getValue(name)`. Unknown references and `$$` stay as written. A result longer than
 * `maxLength` is cut somewhere after it: the caller checks the length.
 */
export function expandReferences(
  text: string,
  getValue: (name: string) => string | undefined,
  maxLength = Number.POSITIVE_INFINITY,
): string {
  return replaceReferences(text, (name) => (name === undefined ? undefined : getValue(name)), maxLength);
}

/** Replaces references; for `$$` the callback gets undefined. */
function replaceReferences(
  text: string,
  getValue: (name: string | undefined) => string | undefined,
  maxLength: number,
): string {
  if (!mayHaveReferences(text)) return text;
  let expandedText = '';
  let position = 0;
  for (const reference of text.matchAll(REFERENCE)) {
    const [matchedText, braces, dollar, percent] = reference;
    const value = getValue(braces ?? dollar ?? percent) ?? matchedText;
    expandedText +=
      text.slice(position, reference.index) + (value.length > maxLength ? value.slice(0, maxLength + 1) : value);
    if (expandedText.length > maxLength) return expandedText;
    position = reference.index + matchedText.length;
  }
  return expandedText + text.slice(position);
}

/**
 * Expands references in the values of variables (contract/runners.md §3.3); the last entry of a key counts. Raw variables keep
 * their values. References to raw, file and unknown variables and to the variable itself stay as written. If references form a
 * cycle, nothing is replaced. `onCharacters` receives the number of characters that are built.
 */
export function expandVariables<V extends CiVariable>(
  variables: readonly V[],
  onCharacters: (characters: number) => void = () => {},
): V[] {
  const lastByKey = new Map(variables.map((variable) => [variable.key, variable]));
  const expandedValues = new Map<string, string>();
  const openNames = new Set<string>();
  let [characters, references] = [0, 0];
  const expand = ({ key, value, raw = false }: CiVariable): string => {
    if (raw || !mayHaveReferences(value)) return value;
    const resolveValue = (name: string | undefined) => {
      if (++references > MAX_REFERENCES) throw new Unexpandable();
      return name === undefined || name === key ? undefined : getValue(name);
    };
    const result = replaceReferences(value, resolveValue, MAX_CHARACTERS);
    characters += result.length;
    onCharacters(result.length);
    if (characters > MAX_CHARACTERS) throw new Unexpandable();
    return result;
  };
  const getValue = (name: string): string | undefined => {
    const expandedValue = expandedValues.get(name);
    if (expandedValue !== undefined) return expandedValue;
    const variable = lastByKey.get(name);
    if (variable === undefined || variable.raw || variable.file) return undefined;
    // Each level is a nested function call, and no hand-written file has this many.
    if (openNames.has(name) || openNames.size > 500) throw new Unexpandable();
    openNames.add(name);
    const value = expand(variable);
    openNames.delete(name);
    expandedValues.set(name, value);
    return value;
  };
  try {
    return variables.map((variable) => ({
      ...variable,
      value: lastByKey.get(variable.key) === variable ? (getValue(variable.key) ?? expand(variable)) : expand(variable),
    }));
  } catch (error) {
    if (!(error instanceof Unexpandable)) throw error;
    return [...variables];
  }
}

/** References form a cycle, or their expansion is too large. */
class Unexpandable extends Error {}

/** Returns the last value of each key, for expressions and names that refer to variables. */
export function toValues(variables: readonly CiVariable[]): ReadonlyMap<string, string> {
  return new Map(variables.map(({ key, value }) => [key, value]));
}

/**
 * Returns the values that may appear in public text, such as names. References to masked or file variables stay as written, also
 * inside other values.
 */
export function toPublicValues(
  variables: readonly CiVariable[],
  onCharacters?: (characters: number) => void,
): ReadonlyMap<string, string> {
  const maskedKeys = new Set(variables.filter(({ masked, file }) => masked || file).map(({ key }) => key));
  return toValues(
    expandVariables(
      variables.filter(({ key }) => !maskedKeys.has(key)),
      onCharacters,
    ),
  );
}

/** Returns the cost of expanding these variables, in steps of a few microseconds. */
export function estimateExpansionCost(variables: readonly CiVariable[]): number {
  const characters = variables.reduce(
    (sum, { value }) => sum + value.length / (mayHaveReferences(value) ? 500 : 20_000),
    0,
  );
  return Math.ceil(variables.length / 20 + characters);
}

/**
 * A variable of the instance, a group or the project. It reaches only some jobs, and one of several with the same key wins
 * (contract/runners.md §4.5 "Reaching jobs"). Variables given with the pipeline or the job override it (`job-requests/payload.ts`).
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
export function selectEffectiveVariables<V extends ScopedVariable>(variables: readonly V[], job: ReceivingJob): V[] {
  const compareByPrecedence = (a: V, b: V) =>
    b.distance - a.distance || getSpecificity(a, job) - getSpecificity(b, job) || a.id - b.id;
  const visibleVariables = variables.filter((variable) => isVisibleToJob(variable, job)).sort(compareByPrecedence);
  const lastByKey = new Map(visibleVariables.map((variable) => [variable.key, variable]));
  return visibleVariables.filter((variable) => lastByKey.get(variable.key) === variable);
}

function isVisibleToJob(variable: ScopedVariable, job: ReceivingJob): boolean {
  return (job.protected || !variable.protected) && matchesEnvironment(variable.environment_scope, job.environment);
}

function matchesEnvironment(scope: string, environment: string | null): boolean {
  if (scope === ALL_ENVIRONMENTS || scope === environment) return true;
  return environment !== null && scope.includes('*') && matchesParts(environment, scope.split('*'));
}

/** Returns how specific a scope is: `*` least, then wildcards by length, then the exact name. */
function getSpecificity({ environment_scope: scope }: ScopedVariable, { environment }: ReceivingJob): number {
  if (scope === environment) return Number.POSITIVE_INFINITY;
  return scope === ALL_ENVIRONMENTS ? 0 : scope.length + 1;
}
