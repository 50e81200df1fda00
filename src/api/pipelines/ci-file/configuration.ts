import { PatternCache } from './expressions/expression.ts';
import {
  checkKnownKeys,
  checkNotBlank,
  configError,
  flattenArrays,
  isPresent,
  parseMap,
  parseOptional,
} from './keywords/checks.ts';
import { checkDependencies, resolveInstanceNeeds } from './keywords/dependencies.ts';
import { type CiJob, DEFAULT_KEYS, parseInheritedKeys, parseJob } from './keywords/job.ts';
import type { FileVariable } from './keywords/options.ts';
import { type CiRule, checkAutoCancel, parseWorkflowRules } from './keywords/rules.ts';
import { GLOBAL_VARIABLES, parseVariables } from './keywords/variables.ts';
import { EffortBudget } from './yaml/effort-budget.ts';
import { resolveExtends } from './yaml/extends.ts';
import { type ReadFile, resolveIncludes, TOO_LARGE } from './yaml/includes.ts';
import { applyInputs } from './yaml/inputs.ts';
import { parseYaml, YamlNotes } from './yaml/read-yaml.ts';
import {
  CiFileError,
  type CiMap,
  CiReference,
  type CiValue,
  fileTooLarge,
  isArray,
  isMap,
  SizeCheck,
  scalarToText,
  toRubyNotation,
} from './yaml/values.ts';

/** A valid CI configuration, from which pipelines are planned. */
export interface CiConfiguration {
  /** All stages in order, including `.pre` and `.post`. */
  readonly stages: readonly string[];
  readonly variables: readonly FileVariable[];
  readonly workflow: { readonly rules: readonly CiRule[] | null; readonly name: string | null };
  /** The visible jobs, in file order. */
  readonly jobs: readonly CiJob[];
  /** Whether conditions depend on the paths that a push changed, and on the paths that exist. */
  readonly usesPaths: { readonly changes: boolean; readonly exists: boolean };
}

/** The first error, when there is no valid configuration or no pipeline. */
export interface InvalidConfiguration {
  readonly invalid: string;
}

/** The top-level keys that can never be jobs. */
const RESERVED_KEYS = new Set([
  ...['include', 'before_script', 'image', 'services', 'after_script', 'variables', 'stages', 'cache'],
]);

/** The top-level keys that are jobs if they have a script, and settings otherwise. */
const SECTION_KEYS = new Set(['default', 'workflow']);

/** The top-level keys that are the deprecated form of `default`. */
const GLOBAL_DEFAULTS = ['before_script', 'image', 'services', 'after_script', 'cache'];

/** The stages of a file that names none. */
const DEFAULT_STAGES = ['build', 'test', 'deploy'];

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
interface CiFileInspection {
  readonly configuration: CiConfiguration | InvalidConfiguration;
  /** The file after includes, `extends` and references are resolved; null if that failed. */
  readonly merged: CiMap | null;
  /** The paths of included files, each once, in order. */
  readonly includes: readonly string[];
  readonly warnings: readonly string[];
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
  const notes = new YamlNotes();
  let mergedFile: CiMap | null = null;
  const configuration = await catchCiFileError(async () => {
    if (text === TOO_LARGE) throw fileTooLarge();
    if (text.trim() === '') throw new CiFileError('Please provide content of .gitlab-ci.yml');
    const file = applyInputs(parseYaml(text, effort, notes), effort) ?? new Map();
    if (!isMap(file)) throw new CiFileError('Invalid configuration format');
    const readAndRecord: ReadFile = (includedPath) => {
      includedPaths.add(includedPath);
      return read(includedPath);
    };
    const merged = await resolveIncludes(file, path, readAndRecord, effort, notes);
    const extended = resolveExtends(merged, effort);
    new SizeCheck().check(extended);
    const resolvedFile = resolveReferences(extended, effort);
    mergedFile = resolvedFile;
    return parseConfiguration(resolvedFile, effort, notes.otherTypeNames);
  });
  const { warnings } = notes;
  return { configuration, merged: mergedFile, includes: mergedFile === null ? [] : [...includedPaths], warnings };
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

function parseConfiguration(file: CiMap, effort: EffortBudget, otherTypeNames: ReadonlySet<string>): CiConfiguration {
  const patterns = new PatternCache(effort);
  const sections = new Map([...file].filter(([name, value]) => SECTION_KEYS.has(name) && !isExecutable(value)));
  const defaults = parseDefaults(file, sections.get('default') ?? null);
  const variables = isPresent(file.get('variables'))
    ? parseVariables(file.get('variables')!, 'variables', GLOBAL_VARIABLES)
    : [];
  const stages = parseStages(file.get('stages') ?? null);
  const workflow = parseWorkflow(sections.get('workflow') ?? null, patterns);
  const jobs = parseJobs(
    [...file].filter(([name]) => !RESERVED_KEYS.has(name) && !sections.has(name)),
    defaults,
    patterns,
  );
  const numberedJob = jobs.find(({ name }) => otherTypeNames.has(name));
  if (numberedJob !== undefined) throw configError(`jobs:${numberedJob.name}`, 'name should be a symbol');
  checkDependencies(jobs, stages, effort);
  return { stages, variables, workflow, jobs, usesPaths: findPathUsage(workflow, jobs) };
}

function findPathUsage(workflow: CiConfiguration['workflow'], jobs: readonly CiJob[]): CiConfiguration['usesPaths'] {
  const rules = [workflow, ...jobs].flatMap((entry) => entry.rules ?? []);
  const policies = jobs.flatMap(({ only, except }) => [only, except]);
  return {
    changes:
      policies.some((policy) => policy?.changes != null) || rules.some(({ changes }) => changes?.compareTo === null),
    exists: rules.some(({ exists }) => exists?.project === null),
  };
}

/** Merges `default` with the deprecated global keys. Each is validated even if no job inherits it. */
function parseDefaults(file: CiMap, defaultValue: CiValue): CiMap {
  const defaults = isPresent(defaultValue) ? parseMap(defaultValue, 'default') : new Map<string, CiValue>();
  const globalDefaults = new Map(GLOBAL_DEFAULTS.map((key) => [key, file.get(key) ?? null] as const));
  checkKnownKeys(defaults, 'default', DEFAULT_KEYS);
  for (const key of GLOBAL_DEFAULTS) {
    if (isPresent(globalDefaults.get(key)) && isPresent(defaults.get(key)))
      throw new CiFileError(`${key} is defined in top-level and \`default:\` entry`);
  }
  parseInheritedKeys((key, parse) => parseOptional(defaults, key, null, parse), 'default');
  parseInheritedKeys((key, parse) => parseOptional(globalDefaults, key, null, parse), '');
  return new Map([...defaults, ...globalDefaults].filter(([, value]) => value !== null));
}

function parseStages(value: CiValue): string[] {
  const stageList = isPresent(value) ? flattenArrays(value) : DEFAULT_STAGES;
  if (stageList === null || !stageList.every((stage) => typeof stage === 'string') || typeof value === 'string') {
    throw configError(
      'stages',
      'config should be an array of strings or a nested array of strings up to 10 levels deep',
    );
  }
  if (stageList.length === 0) return [];
  const middleStages = (stageList as string[]).filter((stage) => stage !== '.pre' && stage !== '.post');
  return [...new Set(['.pre', ...middleStages, '.post'])];
}

function parseWorkflow(value: CiValue, patterns: PatternCache): CiConfiguration['workflow'] {
  if (!isPresent(value)) return { rules: null, name: null };
  const map = parseMap(value, 'workflow');
  checkKnownKeys(map, 'workflow', new Set(['rules', 'name', 'auto_cancel']));
  const rules = parseOptional(map, 'rules', null, (each) => parseWorkflowRules(each, 'workflow:rules', patterns));
  parseOptional(map, 'auto_cancel', null, (each) => checkAutoCancel(each, 'workflow:auto_cancel'));
  return { rules, name: scalarToText(map.get('name')) };
}

/** Returns whether the value is a job that runs something: it has a script or starts a pipeline. */
function isExecutable(value: CiValue): value is CiMap {
  return isMap(value) && (value.has('script') || value.has('run') || value.has('trigger'));
}

/** Parses the visible jobs. Names that begin with a dot are templates. */
function parseJobs(
  entries: readonly (readonly [string, CiValue])[],
  defaults: CiMap,
  patterns: PatternCache,
): readonly CiJob[] {
  for (const [name, value] of entries) {
    if (!name.startsWith('.') && !isExecutable(value) && !hasNeeds(value)) throw createNotExecutableError(name);
  }
  if (entries.every(([name]) => name.startsWith('.')))
    throw configError('jobs', 'config should contain at least one visible job');
  const jobs: CiJob[] = [];
  for (const [name, value] of entries) {
    if (name.startsWith('.')) checkNotBlank(value, `jobs:${name}`);
    // A job with `needs` but without a script is meant to trigger another pipeline, which is not supported.
    else if (!isExecutable(value))
      throw configError(`jobs:${name}`, 'config should contain either a trigger or a needs:pipeline');
    else jobs.push(parseJob(name, value, defaults, patterns));
  }
  return resolveInstanceNeeds(jobs, patterns.effort);
}

function hasNeeds(value: CiValue): boolean {
  return isMap(value) && value.has('needs');
}

/** Returns the error for a job without a script. It shows blanks in plain names as underscores, as in GitLab. */
function createNotExecutableError(name: string): CiFileError {
  const shownName = /^[a-z\s]+$/i.test(name) ? name.replaceAll(' ', '_') : name;
  return configError(`jobs ${shownName}`, 'config should implement the script:, run:, or trigger: keyword');
}

/** Limit for references within references, because each level is a nested function call. */
const MAX_DEPTH = 500;

/** Replaces each `!reference [entry, key, ...]` by the value at that path, which may contain references. */
function resolveReferences(file: CiMap, effort: EffortBudget): CiMap {
  const resolver = new ReferenceResolver(file, effort);
  const resolvedFile = resolver.resolve(file) as CiMap;
  if (resolvedFile !== file) new SizeCheck().check(resolvedFile);
  return resolvedFile;
}

class ReferenceResolver {
  readonly #file: CiMap;
  readonly #effort: EffortBudget;
  readonly #resolved = new Map<string, CiValue>();
  /** The references that contain the value that is being resolved. */
  readonly #openReferences = new Set<string>();

  constructor(file: CiMap, effort: EffortBudget) {
    this.#file = file;
    this.#effort = effort;
  }

  /** Returns the value without references; the same object if it contains none. */
  resolve(value: CiValue): CiValue {
    if (value instanceof CiReference) return this.#resolveReference(value);
    if (isArray(value)) {
      const items = value.map((item) => this.resolve(item));
      return items.some((item, index) => item !== value[index]) ? items : value;
    }
    if (!isMap(value)) return value;
    const entries = [...value].map(([key, entry]) => [key, this.resolve(entry)] as const);
    return entries.some(([key, entry]) => entry !== value.get(key)) ? new Map(entries) : value;
  }

  #resolveReference({ target }: CiReference): CiValue {
    const createError = (problem: string) => new CiFileError(`!reference ${toRubyNotation(target)} ${problem}`);
    if (!isPath(target)) throw createError('is not valid');
    const key = JSON.stringify(target);
    if (this.#openReferences.has(key)) throw createError('is part of a circular chain');
    if (this.#openReferences.size >= MAX_DEPTH) throw fileTooLarge();
    const cachedValue = this.#resolved.get(key);
    if (cachedValue !== undefined) return cachedValue;
    this.#effort.spend(1);
    this.#openReferences.add(key);
    const resolvedValue = this.resolve(this.#find(target));
    if (resolvedValue === null || resolvedValue === false) throw createError('could not be found');
    this.#openReferences.delete(key);
    this.#resolved.set(key, resolvedValue);
    return resolvedValue;
  }

  /** Returns null if there is no value at the path. */
  #find(path: readonly string[]): CiValue {
    let current: CiValue = this.#file;
    for (const key of path) current = (isMap(current) ? current.get(key) : null) ?? null;
    return current;
  }
}

function isPath(target: CiValue): target is readonly string[] {
  return isArray(target) && target.length > 0 && target.every((key) => typeof key === 'string');
}
