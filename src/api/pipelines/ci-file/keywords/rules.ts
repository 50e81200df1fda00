import type { JobWhen } from '#database/schema.ts';
import { type Condition, type PatternCache, parseCondition, type VariableValues } from '../expressions/expression.ts';
import type { ChangesClause, ExistsClause, PathMatcher } from '../expressions/paths.ts';
import { type CiMap, type CiValue, isArray, isMap } from '../yaml/values.ts';
import {
  checkKnownKeys,
  checkNotBlank,
  checkRequiredKeys,
  checkWord,
  configError,
  flattenArrays,
  isBlank,
  isPresent,
  parseBoolean,
  parseDurationKeyword,
  parseMap,
  parseOneOf,
  parseOptional,
  parseString,
  parseStrings,
  typeError,
} from './checks.ts';
import { type CiJobNeed, MAX_START_IN_SECONDS, parseNeeds } from './job-keywords.ts';
import type { FileVariable } from './options.ts';
import { PLAIN_VARIABLES, parseVariables } from './variables.ts';

/** A rule of a job or of `workflow`. */
export interface CiRule {
  readonly if: Condition | null;
  readonly changes: ChangesClause | null;
  readonly exists: ExistsClause | null;
  /** Null: the value of the job applies. */
  readonly when: JobWhen | 'never' | null;
  readonly startIn: number | null;
  readonly allowFailure: boolean | null;
  readonly variables: readonly FileVariable[];
  readonly needs: readonly CiJobNeed[] | null;
  readonly interruptible: boolean | null;
}

interface RuleKind {
  readonly keys: ReadonlySet<string>;
  readonly whens: ReadonlySet<string>;
}

const COMMON_KEYS = ['if', 'changes', 'exists', 'when', 'start_in', 'allow_failure', 'variables', 'needs'];

const JOB_RULE: RuleKind = {
  keys: new Set([...COMMON_KEYS, 'interruptible']),
  whens: new Set(['on_success', 'on_failure', 'always', 'never', 'manual', 'delayed']),
};
const WORKFLOW_RULE: RuleKind = {
  keys: new Set([...COMMON_KEYS, 'auto_cancel']),
  whens: new Set(['always', 'never']),
};

/** Throws unless the rules of a job are an array of maps, which may be nested. `location`: the location of the job. */
export function checkJobRules(value: CiValue, location: string): void {
  const rules = isArray(value) ? flattenArrays(value) : null;
  if (rules === null || !rules.every(isMap))
    throw configError(location, 'rules should be an array containing hashes and arrays of hashes');
}

/** Parses the rules of a job, after `checkJobRules`. `location`: the location of the rules. */
export function parseJobRules(value: CiValue, location: string, patterns: PatternCache): CiRule[] {
  checkNotBlank(value, location);
  return flattenArrays(value)!.map((rule) => {
    patterns.effort.spend(1);
    return parseRule(rule, `${location}:rule`, patterns, JOB_RULE);
  });
}

/** Parses the rules of `workflow`. */
export function parseWorkflowRules(value: CiValue, location: string, patterns: PatternCache): CiRule[] {
  checkNotBlank(value, location);
  const rules = isArray(value) ? flattenArrays(value) : null;
  if (rules === null) throw configError(location, 'config should be an array');
  return rules.filter(isPresent).map((rule) => parseRule(rule, `${location}:rule`, patterns, WORKFLOW_RULE));
}

function parseRule(value: CiValue, location: string, patterns: PatternCache, { keys, whens }: RuleKind): CiRule {
  checkNotBlank(value, location);
  const map = parseMap(value, location);
  const read = <T>(key: string, parse: (value: Exclude<CiValue, null>) => T) => parseOptional(map, key, null, parse);
  const startIn = parseStartIn(map, location);
  const condition = read('if', (source) => parseIf(source, location, patterns));
  const allowFailure = read('allow_failure', (each) => parseBoolean(each, location, 'allow failure'));
  const interruptible = read('interruptible', (each) => parseBoolean(each, location, 'interruptible'));
  read('when', (when) => checkWord(when, location, 'when', whens));
  checkKnownKeys(map, location, keys);
  const rule = {
    if: condition,
    changes: read('changes', (changes) => parseChanges(changes, `${location}:changes`)),
    exists: parseExists(map.get('exists') ?? null, `${location}:exists`),
    when: (map.get('when') ?? null) as CiRule['when'],
    startIn,
    allowFailure,
    variables: read('variables', (each) => parseVariables(each, `${location}:variables`, PLAIN_VARIABLES)) ?? [],
    needs: read('needs', (needs) => parseNeeds(needs, `${location}:needs`)),
    interruptible,
  };
  read('auto_cancel', (autoCancel) => checkAutoCancel(autoCancel, `${location}:auto_cancel`));
  return rule;
}

function parseStartIn(map: CiMap, location: string): number | null {
  if (map.get('when') !== 'delayed') {
    if (map.has('start_in')) throw configError(location, 'config contains disallowed keys: start_in');
    return null;
  }
  checkNotBlank(map.get('start_in'), location, 'start in');
  return parseDurationKeyword(map.get('start_in'), location, 'start in', MAX_START_IN_SECONDS);
}

function parseIf(source: CiValue, location: string, patterns: PatternCache): Condition {
  const condition = typeof source === 'string' ? parseCondition(source, patterns) : null;
  if (condition === null) throw configError(location, 'if invalid expression syntax');
  return condition;
}

const MAX_GLOBS = 50;
const CHANGES_KEYS = new Set(['paths', 'compare_to']);
const EXISTS_KEYS = new Set(['paths', 'project', 'ref']);

function parseChanges(value: CiValue, location: string): ChangesClause {
  if (isArray(value)) return { globs: parseGlobs(value, location, 'config'), compareTo: null };
  if (!isMap(value)) throw typeError(location, 'should be an array or a hash');
  checkKnownKeys(value, location, CHANGES_KEYS);
  checkRequiredKeys(value, location, ['paths']);
  return {
    globs: parseGlobs(value.get('paths')!, location, 'paths'),
    compareTo: parseOptional(value, 'compare_to', null, (each) => parseString(each, location, 'compare to')),
  };
}

/** Parses `exists`; one text is one glob. */
function parseExists(value: CiValue, location: string): ExistsClause | null {
  if (value === null) return null;
  const ownSource = { project: null, ref: null };
  if (typeof value === 'string') return { globs: [value], ...ownSource };
  if (isArray(value)) return { globs: parseGlobs(value, location, 'config'), ...ownSource };
  if (isBlank(value)) return { globs: [], ...ownSource };
  if (!isMap(value)) throw typeError(location, 'should be a string, an array of strings, or a hash');
  checkKnownKeys(value, location, EXISTS_KEYS);
  checkRequiredKeys(value, location, ['paths', ...(value.get('ref') == null ? [] : ['project'])]);
  const readText = (key: string) => parseOptional(value, key, null, (each) => parseString(each, location, key));
  return {
    globs: parseOptional(value, 'paths', [], (paths) => parseGlobs(paths, location, 'paths')),
    project: readText('project'),
    ref: readText('ref'),
  };
}

function parseGlobs(value: CiValue, location: string, key: string): string[] {
  const globs = parseStrings(value, location, key);
  if (globs.length > MAX_GLOBS) throw configError(location, `${key} has too many entries (maximum ${MAX_GLOBS})`);
  return globs;
}

/** Returns the first matching rule, or null. */
export function findMatchingRule(rules: readonly CiRule[], values: VariableValues, paths: PathMatcher): CiRule | null {
  return rules.find((rule) => matches(rule, values, paths)) ?? null;
}

function matches({ if: condition, changes, exists }: CiRule, values: VariableValues, paths: PathMatcher): boolean {
  if (condition !== null && !condition.isTrue(values)) return false;
  if (changes !== null && !paths.haveChanged(changes, values)) return false;
  return exists === null || paths.exist(exists, values);
}

const NEW_COMMIT_ACTIONS = ['conservative', 'interruptible', 'none'];
const JOB_FAILURE_ACTIONS = ['none', 'all'];

/** Checks `auto_cancel`, which has no effect. */
export function checkAutoCancel(value: CiValue, location: string): void {
  const map = parseMap(value, location);
  checkKnownKeys(map, location, new Set(['on_new_commit', 'on_job_failure']));
  for (const [key, words] of [
    ['on_new_commit', NEW_COMMIT_ACTIONS],
    ['on_job_failure', JOB_FAILURE_ACTIONS],
  ] as const) {
    const problem = `must be one of: ${words.join(', ')}`;
    parseOptional(map, key, null, (each) => parseOneOf(each, location, key.replaceAll('_', ' '), words, problem));
  }
}
