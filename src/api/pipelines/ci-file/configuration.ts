import { Patterns } from './expressions/expression.ts';
import { flattened, isGiven, knownKeys, mapAt, textAt, wrong } from './keywords/checks.ts';
import { checkDependencies } from './keywords/dependencies.ts';
import { DEFAULT_KEYS, type Job, jobAt } from './keywords/job.ts';
import { variablesAt } from './keywords/keywords.ts';
import type { FileVariable } from './keywords/options.ts';
import { type Rule, workflowRulesAt } from './keywords/rules.ts';
import { Effort } from './yaml/effort-budget.ts';
import { resolveExtends } from './yaml/extends.ts';
import { type ReadFile, TOO_LARGE, withIncludes } from './yaml/includes.ts';
import { readYaml } from './yaml/read-yaml.ts';
import { resolveReferences } from './yaml/references.ts';
import { CiFileInvalid, type CiMap, type CiValue, isMap, Measuring, tooBig } from './yaml/values.ts';

/** A CI file that makes sense: what pipelines are made of. */
export interface Configuration {
  /** All of them, `.pre` and `.post` too, in order. */
  readonly stages: readonly string[];
  readonly variables: readonly FileVariable[];
  readonly workflow: { readonly rules: readonly Rule[] | null; readonly name: string | null };
  /** The visible ones, in the order of the file. */
  readonly jobs: readonly Job[];
  /** What of the repository its conditions ask for. */
  readonly asks: { readonly changes: boolean; readonly exists: boolean };
}

/** Why there is no configuration, or no pipeline: the first error. */
export interface Invalid {
  readonly invalid: string;
}

const GLOBAL_KEYS = new Set([
  ...['default', 'include', 'before_script', 'image', 'services', 'after_script', 'variables', 'stages', 'cache'],
  ...['workflow', 'spec'],
]);

/** The old form of `default`. */
const OLD_DEFAULTS = ['before_script', 'image', 'services', 'after_script', 'cache'];

const STAGES = ['build', 'test', 'deploy'];

/**
 * Reads the CI file at `path` (contract/runners.md §6) with all that it includes, by `read`; null: there is no such file. The
 * first error in the contract's words. Bounded in every way, and done in turns for which others wait little.
 */
export async function readCiFile(path: string, read: ReadFile): Promise<Configuration | Invalid | null> {
  return (await inspectCiFile(path, read))?.configuration ?? null;
}

/** What is known of a CI file, however far it makes sense. */
export interface Inspected {
  readonly configuration: Configuration | Invalid;
  /** With all that it includes, extends and refers to in place; null: it does not get so far. */
  readonly whole: CiMap | null;
  /** The paths of what it includes, each once, as it came. */
  readonly includes: readonly string[];
}

/** The same, and what has led to it. */
export async function inspectCiFile(path: string, read: ReadFile): Promise<Inspected | null> {
  const text = await read(path);
  if (text === null) return null;
  const included = new Set<string>();
  let known: CiMap | null = null;
  const configuration = await orInvalid(async () => {
    if (text === TOO_LARGE) throw tooBig();
    const effort = new Effort();
    const file = await readYaml(text, effort);
    if (file === null) throw new CiFileInvalid('Please provide content of .gitlab-ci.yml');
    if (!isMap(file)) throw new CiFileInvalid('Invalid configuration format');
    const noting: ReadFile = (each) => {
      included.add(each);
      return read(each);
    };
    const merged = resolveReferences(await withIncludes(file, path, noting, effort), effort);
    const extended = resolveExtends(merged, effort);
    new Measuring().check(extended);
    known = extended;
    return configurationOf(extended, effort);
  });
  return { configuration, whole: known, includes: known === null ? [] : [...included] };
}

/** What `work` gives, or the error of the file that it has found. */
export async function orInvalid<T>(work: () => Promise<T>): Promise<T | Invalid> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CiFileInvalid) return { invalid: error.message };
    throw error;
  }
}

async function configurationOf(file: CiMap, effort: Effort): Promise<Configuration> {
  const patterns = new Patterns();
  const defaults = defaultsOf(file, patterns);
  const variables = isGiven(file.get('variables')) ? variablesAt(file.get('variables')!, 'variables') : [];
  const stages = stagesOf(file.get('stages') ?? null);
  const workflow = workflowOf(file.get('workflow') ?? null, patterns);
  const entries = visibleJobs(file);
  const jobs: Job[] = [];
  for (const [name, entry] of entries) {
    jobs.push(jobAt(name, entry, defaults, patterns));
    if (effort.spend(5)) await effort.giveWay();
  }
  checkDependencies(jobs, stages);
  return { stages, variables, workflow, jobs, asks: asksOf(workflow, jobs) };
}

function asksOf(workflow: Configuration['workflow'], jobs: readonly Job[]): Configuration['asks'] {
  const rules = [workflow, ...jobs].flatMap((each) => each.rules ?? []);
  const policies = jobs.flatMap(({ only, except }) => [only, except]);
  return {
    changes: [...rules, ...policies].some((each) => each?.changes != null),
    exists: rules.some(({ exists }) => exists !== null),
  };
}

/** What `default` says, and for what it doesn't the old global keys. Each is checked even if no job takes it over. */
function defaultsOf(file: CiMap, patterns: Patterns): CiMap {
  const given = file.get('default') ?? null;
  const own = isGiven(given) ? mapAt(given, 'default') : new Map<string, CiValue>();
  knownKeys(own, 'default', DEFAULT_KEYS);
  const old = OLD_DEFAULTS.filter((key) => file.has(key)).map((key) => [key, file.get(key)!] as const);
  inPlace('jobs:default', 'default', () => jobAt('default', own, new Map(), patterns));
  inPlace('jobs:global:', '', () => jobAt('global', new Map(old), new Map(), patterns));
  return new Map([...old, ...own]);
}

/** Has errors of a job's keys name the place where these keys stand. */
function inPlace(where: string, place: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof CiFileInvalid) || !error.message.startsWith(where)) throw error;
    throw new CiFileInvalid(place + error.message.slice(where.length));
  }
}

function stagesOf(value: CiValue): string[] {
  const said = isGiven(value) ? flattened(value) : STAGES;
  if (said === null || !said.every((stage) => typeof stage === 'string') || typeof value === 'string') {
    throw wrong('stages', 'config should be an array of strings or a nested array of strings up to 10 levels deep');
  }
  const between = (said as string[]).filter((stage) => stage !== '.pre' && stage !== '.post');
  return [...new Set(['.pre', ...between, '.post'])];
}

function workflowOf(value: CiValue, patterns: Patterns): Configuration['workflow'] {
  if (!isGiven(value)) return { rules: null, name: null };
  const map = mapAt(value, 'workflow');
  knownKeys(map, 'workflow', new Set(['rules', 'name', 'auto_cancel']));
  const [rules, name] = ['rules', 'name'].map((key) => map.get(key));
  return {
    rules: isGiven(rules) ? workflowRulesAt(rules, 'workflow', patterns) : null,
    name: isGiven(name) ? textAt(name, 'workflow', 'name') : null,
  };
}

function visibleJobs(file: CiMap): [string, CiMap][] {
  const visible = [...file].filter(([name]) => !GLOBAL_KEYS.has(name) && !name.startsWith('.'));
  if (visible.length === 0) throw wrong('jobs', 'config should contain at least one visible job');
  for (const [name, entry] of visible) {
    const does = isMap(entry) && (entry.has('script') || entry.has('run') || entry.has('trigger'));
    if (!does) throw wrong(`jobs ${name}`, 'config should implement the script:, run:, or trigger: keyword');
  }
  for (const [name, entry] of visible) {
    const script = (entry as CiMap).get('script');
    const isBlank = !isGiven(script) || script === '' || (Array.isArray(script) && script.length === 0);
    if (isBlank && (entry as CiMap).has('script')) throw wrong(`jobs:${name}`, "script can't be blank");
  }
  return visible as [string, CiMap][];
}
