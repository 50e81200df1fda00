import { PatternCache } from './expressions/expression.ts';
import { checkKnownKeys, configError, flattenArrays, isPresent, parseMap, parseString } from './keywords/checks.ts';
import { checkDependencies } from './keywords/dependencies.ts';
import { type CiJob, DEFAULT_KEYS, parseJob } from './keywords/job.ts';
import { parseVariables } from './keywords/keywords.ts';
import type { FileVariable } from './keywords/options.ts';
import { type CiRule, parseWorkflowRules } from './keywords/rules.ts';
import { EffortBudget } from './yaml/effort-budget.ts';
import { resolveExtends } from './yaml/extends.ts';
import { type ReadFile, resolveIncludes, TOO_LARGE } from './yaml/includes.ts';
import { parseYaml } from './yaml/read-yaml.ts';
import { resolveReferences } from './yaml/references.ts';
import { CiFileError, type CiMap, type CiValue, fileTooLarge, isMap, SizeCheck } from './yaml/values.ts';

/** A valid CI configuration, from which pipelines are planned. */
export interface CiConfiguration {
  /** All stages in order, including `.pre` and `.post`. */
  readonly stages: readonly string[];
  readonly variables: readonly FileVariable[];
  readonly workflow: { readonly rules: readonly CiRule[] | null; readonly name: string | null };
  /** The visible jobs, in file order. */
  readonly jobs: readonly CiJob[];
  /** Which repository paths the conditions depend on. */
  readonly usesPaths: { readonly changes: boolean; readonly exists: boolean };
}

/** The first error, when there is no valid configuration or no pipeline. */
export interface InvalidConfiguration {
  readonly invalid: string;
}

const GLOBAL_KEYS = new Set([
  ...['default', 'include', 'before_script', 'image', 'services', 'after_script', 'variables', 'stages', 'cache'],
  'workflow',
]);

/** The deprecated global form of `default`. */
const OLD_DEFAULTS = ['before_script', 'image', 'services', 'after_script', 'cache'];

const STAGES = ['build', 'test', 'deploy'];

/**
 * Reads and parses the CI file at `path` with all its includes; returns null if the file does not exist, or the first error with
 * the contract's text (contract/runners.md §6). Size and work are bounded by `effort`.
 */
export async function readCiFile(
  path: string,
  read: ReadFile,
  effort?: EffortBudget,
): Promise<CiConfiguration | InvalidConfiguration | null> {
  return (await inspectCiFile(path, read, effort))?.configuration ?? null;
}

/** The result of reading a CI file, as far as it is valid. */
export interface CiFileInspection {
  readonly configuration: CiConfiguration | InvalidConfiguration;
  /** The file after includes, `extends` and references are resolved; null if that failed. */
  readonly merged: CiMap | null;
  /** The paths of included files, each once, in order. */
  readonly includes: readonly string[];
}

/** Like `readCiFile`, but also returns the merged file and the included paths. */
export async function inspectCiFile(
  path: string,
  read: ReadFile,
  effort = new EffortBudget(),
): Promise<CiFileInspection | null> {
  const text = await read(path);
  if (text === null) return null;
  const includedPaths = new Set<string>();
  let knownFile: CiMap | null = null;
  const configuration = await catchCiFileError(async () => {
    if (text === TOO_LARGE) throw fileTooLarge();
    if (text.trim() === '') throw new CiFileError('Please provide content of .gitlab-ci.yml');
    const file = parseYaml(text, effort).content ?? new Map();
    if (!isMap(file)) throw new CiFileError('Invalid configuration format');
    const readAndRecord: ReadFile = (includedPath) => {
      includedPaths.add(includedPath);
      return read(includedPath);
    };
    const merged = await resolveIncludes(file, path, readAndRecord, effort);
    const extended = resolveExtends(merged, effort);
    new SizeCheck().check(extended);
    const resolvedFile = resolveReferences(extended, effort);
    knownFile = resolvedFile;
    return parseConfiguration(resolvedFile, effort);
  });
  return { configuration, merged: knownFile, includes: knownFile === null ? [] : [...includedPaths] };
}

/** Runs `work` and returns its result, or the error of the CI file that it threw. */
export async function catchCiFileError<T>(work: () => Promise<T>): Promise<T | InvalidConfiguration> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CiFileError) return { invalid: error.message };
    throw error;
  }
}

function parseConfiguration(file: CiMap, effort: EffortBudget): CiConfiguration {
  const patterns = new PatternCache(effort);
  const defaults = parseDefaults(file, patterns);
  const variables = isPresent(file.get('variables')) ? parseVariables(file.get('variables')!, 'variables') : [];
  const stages = parseStages(file.get('stages') ?? null);
  const workflow = parseWorkflow(file.get('workflow') ?? null, patterns);
  const entries = findVisibleJobs(file);
  const jobs: CiJob[] = [];
  for (const [name, entry] of entries) {
    jobs.push(parseJob(name, entry, defaults, patterns));
    effort.spend(5);
  }
  checkDependencies(jobs, stages, effort);
  return { stages, variables, workflow, jobs, usesPaths: findPathUsage(workflow, jobs) };
}

function findPathUsage(workflow: CiConfiguration['workflow'], jobs: readonly CiJob[]): CiConfiguration['usesPaths'] {
  const rules = [workflow, ...jobs].flatMap((entry) => entry.rules ?? []);
  const policies = jobs.flatMap(({ only, except }) => [only, except]);
  return {
    changes: [...rules, ...policies].some((clause) => clause?.changes != null),
    exists: rules.some(({ exists }) => exists !== null),
  };
}

/** Merges `default` with the deprecated global keys. Each is validated even if no job inherits it. */
function parseDefaults(file: CiMap, patterns: PatternCache): CiMap {
  const defaultValue = file.get('default') ?? null;
  const ownDefaults = isPresent(defaultValue) ? parseMap(defaultValue, 'default') : new Map<string, CiValue>();
  checkKnownKeys(ownDefaults, 'default', DEFAULT_KEYS);
  const old = OLD_DEFAULTS.filter((key) => file.has(key)).map((key) => [key, file.get(key)!] as const);
  withErrorLocation('jobs:default', 'default', () => parseJob('default', ownDefaults, new Map(), patterns));
  withErrorLocation('jobs:global:', '', () => parseJob('global', new Map(old), new Map(), patterns));
  return new Map([...old, ...ownDefaults]);
}

/** Runs `work` and rewrites the location in its errors. */
function withErrorLocation(where: string, errorPrefix: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof CiFileError) || !error.message.startsWith(where)) throw error;
    throw new CiFileError(errorPrefix + error.message.slice(where.length));
  }
}

function parseStages(value: CiValue): string[] {
  const stageList = isPresent(value) ? flattenArrays(value) : STAGES;
  if (stageList === null || !stageList.every((stage) => typeof stage === 'string') || typeof value === 'string') {
    throw configError(
      'stages',
      'config should be an array of strings or a nested array of strings up to 10 levels deep',
    );
  }
  const middleStages = (stageList as string[]).filter((stage) => stage !== '.pre' && stage !== '.post');
  return [...new Set(['.pre', ...middleStages, '.post'])];
}

function parseWorkflow(value: CiValue, patterns: PatternCache): CiConfiguration['workflow'] {
  if (!isPresent(value)) return { rules: null, name: null };
  const map = parseMap(value, 'workflow');
  checkKnownKeys(map, 'workflow', new Set(['rules', 'name', 'auto_cancel']));
  const [rules, name] = ['rules', 'name'].map((key) => map.get(key));
  return {
    rules: isPresent(rules) ? parseWorkflowRules(rules, 'workflow', patterns) : null,
    name: isPresent(name) ? parseString(name, 'workflow', 'name') : null,
  };
}

function findVisibleJobs(file: CiMap): [string, CiMap][] {
  const visible = [...file].filter(([name]) => !GLOBAL_KEYS.has(name) && !name.startsWith('.'));
  if (visible.length === 0) throw configError('jobs', 'config should contain at least one visible job');
  for (const [name, entry] of visible) {
    const isExecutable = isMap(entry) && (entry.has('script') || entry.has('run') || entry.has('trigger'));
    if (!isExecutable)
      throw configError(`jobs ${name}`, 'config should implement the script:, run:, or trigger: keyword');
  }
  for (const [name, entry] of visible) {
    const script = (entry as CiMap).get('script');
    const isBlank = !isPresent(script) || script === '' || (Array.isArray(script) && script.length === 0);
    if (isBlank && (entry as CiMap).has('script')) throw configError(`jobs:${name}`, "script can't be blank");
  }
  return visible as [string, CiMap][];
}
