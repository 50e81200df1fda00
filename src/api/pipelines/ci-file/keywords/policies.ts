import { parseRegexLiteral } from '#text/safe-regex.ts';
import { type Condition, type PatternCache, parseCondition, type VariableValues } from '../expressions/expression.ts';
import type { PathMatcher } from '../expressions/paths.ts';
import { type CiValue, isArray, isMap } from '../yaml/values.ts';
import {
  checkKnownKeys,
  checkNotBlank,
  checkWord,
  configError,
  isPresent,
  isStringArray,
  parseOptional,
  parseStrings,
  typeError,
} from './checks.ts';

/** The value of `only` or `except`. Each part that is set is evaluated. */
export interface RefPolicy {
  readonly refs: readonly RefCondition[] | null;
  readonly variables: readonly Condition[] | null;
  readonly changes: readonly string[] | null;
  /** `kubernetes: active` never matches, as there are no clusters. */
  readonly kubernetes: boolean;
}

/** The properties of a pipeline that a policy checks. */
interface PolicySubject {
  readonly ref: string;
  readonly tag: boolean;
  readonly source: string;
  readonly projectPath: string;
}

/** Globs of `changes` may not contain variables. */
const NO_VALUES: VariableValues = new Map();

type RefCondition = (subject: PolicySubject) => boolean;

const KEYS = new Set(['refs', 'variables', 'changes', 'kubernetes']);
const KUBERNETES_STATES: ReadonlySet<string> = new Set(['active']);

/** Parses `only` or `except`: an array of refs, or a map of conditions. */
export function parseRefPolicy(value: CiValue, location: string, patterns: PatternCache): RefPolicy {
  if (isArray(value)) {
    return { refs: parseRefs(value, location, 'config', patterns), variables: null, changes: null, kubernetes: false };
  }
  if (!isMap(value)) throw typeError(location, 'has to be either an array of conditions or a hash');
  checkNotBlank(value, location);
  checkKnownKeys(value, location, KEYS);
  const read = <T>(key: string, parse: (value: Exclude<CiValue, null>) => T) => parseOptional(value, key, null, parse);
  const conditions = read('variables', (variables) => parseConditions(variables, location, patterns));
  const refs = read('refs', (each) => parseRefs(each, location, 'refs', patterns));
  read('kubernetes', (state) => checkWord(state, location, 'kubernetes', KUBERNETES_STATES));
  return {
    refs,
    variables: conditions,
    changes: read('changes', (changes) => parseStrings(changes, location, 'changes')),
    kubernetes: isPresent(value.get('kubernetes')),
  };
}

function parseRefs(value: CiValue, location: string, key: string, patterns: PatternCache): RefCondition[] {
  const conditions = isStringArray(value) ? value.map((text) => parseRefCondition(text, patterns)) : [null];
  if (conditions.includes(null))
    throw configError(location, `${key} should be an array of strings or regular expressions using re2 syntax`);
  return conditions as RefCondition[];
}

/**
 * Parses a ref condition: `branches`, `tags`, a pipeline source, a name or a regular expression, optionally with a project path after
 * the first `@`. Returns null for an invalid regular expression.
 */
function parseRefCondition(text: string, patterns: PatternCache): RefCondition | null {
  if (parseRegexLiteral(text) !== null && patterns.compileLiteral(text) === null) return null;
  const [name = '', path] = splitAtFirst(text, '@');
  const pattern = patterns.compileLiteral(name);
  return ({ ref, tag, source, projectPath }) => {
    if (path !== undefined && path !== projectPath) return false;
    if (name === (tag ? 'tags' : 'branches')) return true;
    const sourceName = source.replace(/_event$/, '');
    if (name === sourceName || name === toPlural(sourceName)) return true;
    return pattern === null ? ref === name : pattern.find(ref);
  };
}

function splitAtFirst(text: string, separator: string): string[] {
  const index = text.indexOf(separator);
  return index < 0 ? [text] : [text.slice(0, index), text.slice(index + 1)];
}

function toPlural(noun: string): string {
  if (/(?:s|x|z|ch|sh)$/.test(noun)) return `${noun}es`;
  return noun.endsWith('y') ? `${noun.slice(0, -1)}ies` : `${noun}s`;
}

function parseConditions(value: CiValue, location: string, patterns: PatternCache): Condition[] {
  return parseStrings(value, location, 'variables').map((source) => {
    const condition = parseCondition(source, patterns);
    if (condition === null) throw configError(location, 'variables invalid expression syntax');
    return condition;
  });
}

/** Returns whether all parts of an `only` match. Without refs it matches all branches and tags. */
export function allPartsMatch(
  policy: RefPolicy,
  subject: PolicySubject,
  values: VariableValues,
  paths: PathMatcher,
): boolean {
  return listParts(policy, subject, values, paths).every((part) => part());
}

/** Returns whether any part of an `except` matches. */
export function anyPartMatches(
  policy: RefPolicy,
  subject: PolicySubject,
  values: VariableValues,
  paths: PathMatcher,
): boolean {
  return listParts(policy, subject, values, paths).some((part) => part());
}

function listParts(
  { refs, variables, changes, kubernetes }: RefPolicy,
  subject: PolicySubject,
  values: VariableValues,
  paths: PathMatcher,
): (() => boolean)[] {
  return [
    ...(refs === null ? [] : [() => refs.some((matches) => matches(subject))]),
    ...(variables === null ? [] : [() => variables.some((condition) => condition.isTrue(values))]),
    ...(changes === null ? [] : [() => paths.haveChanged({ globs: changes, compareTo: null }, NO_VALUES)]),
    ...(kubernetes ? [() => false] : []),
  ];
}
