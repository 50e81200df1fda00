import type { JobWhen } from '#database/tables/pipelines.ts';
import { type Condition, type Patterns, readCondition, type Values } from '../expressions/expression.ts';
import type { Paths } from '../expressions/paths.ts';
import { type CiMap, type CiValue, isArray } from '../yaml/values.ts';
import { booleanAt, durationAt, flattened, isGiven, knownKeys, mapAt, textsAt, wrong } from './checks.ts';
import { type AllowFailure, allowFailureAt, LONGEST_DELAY, type Need, needsAt } from './job-keywords.ts';
import { variablesAt } from './keywords.ts';
import type { FileVariable } from './options.ts';

export interface Rule {
  readonly if: Condition | null;
  readonly changes: readonly string[] | null;
  readonly exists: readonly string[] | null;
  /** Null: what the job says. */
  readonly when: JobWhen | 'never' | null;
  readonly startIn: number | null;
  readonly allowFailure: AllowFailure | null;
  readonly variables: readonly FileVariable[];
  readonly needs: readonly Need[] | null;
  readonly interruptible: boolean | null;
}

const JOB_KEYS = new Set([
  ...['if', 'changes', 'exists', 'when', 'start_in', 'allow_failure', 'variables', 'needs', 'interruptible'],
  'auto_cancel',
]);
const WORKFLOW_KEYS = new Set(['if', 'changes', 'exists', 'when', 'variables', 'auto_cancel']);
const JOB_WHENS = new Set(['on_success', 'on_failure', 'always', 'never', 'manual', 'delayed']);
const WORKFLOW_WHENS = new Set(['always', 'never']);

/** The rules of a job; `where` is the job's place. */
export function jobRulesAt(value: CiValue, where: string, patterns: Patterns): Rule[] {
  const rules = rulesIn(value, where).map((each) => ruleAt(each, `${where}:rules:rule`, patterns, JOB_KEYS, JOB_WHENS));
  return rules;
}

/** The rules of `workflow`. */
export function workflowRulesAt(value: CiValue, where: string, patterns: Patterns): Rule[] {
  const at = `${where}:rules:rule`;
  return rulesIn(value, where).map((each) => ruleAt(each, at, patterns, WORKFLOW_KEYS, WORKFLOW_WHENS));
}

function rulesIn(value: CiValue, where: string): CiValue[] {
  const rules = isArray(value) ? flattened(value) : null;
  if (rules === null) throw wrong(where, 'rules should be an array of hashes');
  return rules;
}

function ruleAt(
  value: CiValue,
  where: string,
  patterns: Patterns,
  keys: ReadonlySet<string>,
  whens: ReadonlySet<string>,
): Rule {
  const map = mapAt(value, where);
  knownKeys(map, where, keys);
  const given = (key: string) => map.get(key) ?? null;
  const [when, allowFailure, variables, needs] = ['when', 'allow_failure', 'variables', 'needs'].map(given);
  if (isGiven(when!) && !(typeof when === 'string' && whens.has(when))) {
    throw wrong(where, `when unknown value: ${String(when)}`);
  }
  const [startIn, interruptible] = ['start_in', 'interruptible'].map(given);
  return {
    if: conditionAt(map, where, patterns),
    changes: globsAt(given('changes'), where, 'changes'),
    exists: globsAt(given('exists'), where, 'exists'),
    when: when as Rule['when'],
    startIn: when === 'delayed' || isGiven(startIn!) ? durationAt(startIn, where, 'start in', LONGEST_DELAY) : null,
    allowFailure: isGiven(allowFailure!) ? allowFailureAt(allowFailure, where) : null,
    variables: isGiven(variables!) ? variablesAt(variables, `${where}:variables`) : [],
    needs: isGiven(needs!) ? needsAt(needs, `${where}:needs`) : null,
    interruptible: isGiven(interruptible!) ? booleanAt(interruptible, where, 'interruptible') : null,
  };
}

function conditionAt(map: CiMap, where: string, patterns: Patterns): Condition | null {
  const source = map.get('if');
  if (!isGiven(source)) return null;
  const condition = typeof source === 'string' ? readCondition(source, patterns) : null;
  if (condition === null) throw wrong(where, 'if invalid expression syntax');
  return condition;
}

const MOST_GLOBS = 50;

/** An array of globs, or `{paths}`. */
export function globsAt(value: CiValue, where: string, key: string): string[] | null {
  if (!isGiven(value)) return null;
  if (value instanceof Map) {
    knownKeys(value, `${where}:${key}`, new Set(['paths', 'compare_to', 'project', 'ref']));
    return globsAt(value.get('paths') ?? null, `${where}:${key}`, 'paths') ?? [];
  }
  const flat = isArray(value) ? flattened(value) : null;
  const globs = textsAt(flat ?? value, where, `${key} should be an array of strings`);
  if (globs.length > MOST_GLOBS) throw wrong(where, `${key} is too long (maximum is ${MOST_GLOBS} entries)`);
  return globs;
}

/** The first rule that matches; null when none does. */
export function firstMatch(rules: readonly Rule[], values: Values, paths: Paths): Rule | null {
  return rules.find((rule) => matches(rule, values, paths)) ?? null;
}

function matches({ if: condition, changes, exists }: Rule, values: Values, paths: Paths): boolean {
  if (condition !== null && !condition.holds(values)) return false;
  if (changes !== null && !paths.haveChanged(changes, values)) return false;
  return exists === null || paths.exist(exists, values);
}
