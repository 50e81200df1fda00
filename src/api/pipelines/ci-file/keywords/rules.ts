import type { JobWhen } from '#database/tables/pipelines.ts';
import { type Condition, type PatternCache, parseCondition, type VariableValues } from '../expressions/expression.ts';
import type { PathMatcher } from '../expressions/paths.ts';
import { type CiMap, type CiValue, isArray } from '../yaml/values.ts';
import {
  checkKnownKeys,
  configError,
  flattenArrays,
  isPresent,
  parseBoolean,
  parseDurationKeyword,
  parseMap,
  parseStrings,
} from './checks.ts';
import { type AllowFailure, type CiJobNeed, MAX_DELAY_SECONDS, parseAllowFailure, parseNeeds } from './job-keywords.ts';
import { parseVariables } from './keywords.ts';
import type { FileVariable } from './options.ts';

export interface CiRule {
  readonly if: Condition | null;
  readonly changes: readonly string[] | null;
  readonly exists: readonly string[] | null;
  /** Null: the value of the job applies. */
  readonly when: JobWhen | 'never' | null;
  readonly startIn: number | null;
  readonly allowFailure: AllowFailure | null;
  readonly variables: readonly FileVariable[];
  readonly needs: readonly CiJobNeed[] | null;
  readonly interruptible: boolean | null;
}

const JOB_KEYS = new Set([
  ...['if', 'changes', 'exists', 'when', 'start_in', 'allow_failure', 'variables', 'needs', 'interruptible'],
  'auto_cancel',
]);
const WORKFLOW_KEYS = new Set(['if', 'changes', 'exists', 'when', 'variables', 'auto_cancel']);
const JOB_WHENS = new Set(['on_success', 'on_failure', 'always', 'never', 'manual', 'delayed']);
const WORKFLOW_WHENS = new Set(['always', 'never']);

/** Parses the rules of a job; `location` is that of the job, for error texts. */
export function parseJobRules(value: CiValue, location: string, patterns: PatternCache): CiRule[] {
  return listRules(value, location).map((each) => {
    patterns.effort.spend(1);
    return parseRule(each, `${location}:rules:rule`, patterns, JOB_KEYS, JOB_WHENS);
  });
}

/** Parses the rules of `workflow`. */
export function parseWorkflowRules(value: CiValue, location: string, patterns: PatternCache): CiRule[] {
  const at = `${location}:rules:rule`;
  return listRules(value, location).map((each) => parseRule(each, at, patterns, WORKFLOW_KEYS, WORKFLOW_WHENS));
}

function listRules(value: CiValue, location: string): CiValue[] {
  const rules = isArray(value) ? flattenArrays(value) : null;
  if (rules === null) throw configError(location, 'rules should be an array of hashes');
  return rules;
}

function parseRule(
  value: CiValue,
  location: string,
  patterns: PatternCache,
  keys: ReadonlySet<string>,
  allowedWhens: ReadonlySet<string>,
): CiRule {
  const map = parseMap(value, location);
  checkKnownKeys(map, location, keys);
  const getValue = (key: string) => map.get(key) ?? null;
  const [when, allowFailure, variables, needs] = ['when', 'allow_failure', 'variables', 'needs'].map(getValue);
  if (isPresent(when!) && !(typeof when === 'string' && allowedWhens.has(when))) {
    throw configError(location, `when unknown value: ${String(when)}`);
  }
  const [startIn, interruptible] = ['start_in', 'interruptible'].map(getValue);
  return {
    if: parseIf(map, location, patterns),
    changes: parseGlobs(getValue('changes'), location, 'changes'),
    exists: parseGlobs(getValue('exists'), location, 'exists'),
    when: when as CiRule['when'],
    startIn:
      when === 'delayed' || isPresent(startIn!)
        ? parseDurationKeyword(startIn, location, 'start in', MAX_DELAY_SECONDS)
        : null,
    allowFailure: isPresent(allowFailure!) ? parseAllowFailure(allowFailure, location) : null,
    variables: isPresent(variables!) ? parseVariables(variables, `${location}:variables`) : [],
    needs: isPresent(needs!) ? parseNeeds(needs, `${location}:needs`) : null,
    interruptible: isPresent(interruptible!) ? parseBoolean(interruptible, location, 'interruptible') : null,
  };
}

function parseIf(map: CiMap, location: string, patterns: PatternCache): Condition | null {
  const source = map.get('if');
  if (!isPresent(source)) return null;
  const condition = typeof source === 'string' ? parseCondition(source, patterns) : null;
  if (condition === null) throw configError(location, 'if invalid expression syntax');
  return condition;
}

const MAX_GLOBS = 50;

/** Parses an array of globs or `{paths}`. */
export function parseGlobs(value: CiValue, location: string, key: string): string[] | null {
  if (!isPresent(value)) return null;
  if (value instanceof Map) {
    checkKnownKeys(value, `${location}:${key}`, new Set(['paths', 'compare_to', 'project', 'ref']));
    return parseGlobs(value.get('paths') ?? null, `${location}:${key}`, 'paths') ?? [];
  }
  const flat = isArray(value) ? flattenArrays(value) : null;
  const globs = parseStrings(flat ?? value, location, `${key} should be an array of strings`);
  if (globs.length > MAX_GLOBS) throw configError(location, `${key} is too long (maximum is ${MAX_GLOBS} entries)`);
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
