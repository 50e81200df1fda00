import { type Condition, type PatternCache, parseCondition, type VariableValues } from '../expressions/expression.ts';
import type { PathMatcher } from '../expressions/paths.ts';
import { type CiValue, isArray, isMap } from '../yaml/values.ts';
import { checkKnownKeys, configError, flattenArrays, isPresent, parseStrings } from './checks.ts';
import { parseGlobs } from './rules.ts';

/** The value of `only` or `except`. Each part that is set is evaluated. */
export interface RefPolicy {
  readonly refs: readonly RefCondition[] | null;
  readonly variables: readonly Condition[] | null;
  readonly changes: readonly string[] | null;
  /** `kubernetes: active` never matches, as there are no clusters. */
  readonly kubernetes: boolean;
}

/** The properties of a pipeline that a policy checks. */
export interface PolicySubject {
  readonly ref: string;
  readonly tag: boolean;
  readonly source: string;
  readonly projectPath: string;
}

type RefCondition = (subject: PolicySubject) => boolean;

/** Pipeline sources by their names in `only` and `except`. */
const SOURCES: ReadonlyMap<string, string> = new Map([
  ...['schedule', 'trigger', 'pipeline', 'merge_request', 'external_pull_request'].map((source): [string, string] => [
    `${source}s`,
    source,
  ]),
  ['api', 'api'],
  ['pushes', 'push'],
  ['web', 'web'],
  ['chat', 'chat'],
  ['external', 'external'],
]);

const KEYS = new Set(['refs', 'variables', 'changes', 'kubernetes']);

export function parseRefPolicy(value: CiValue, location: string, patterns: PatternCache): RefPolicy {
  if (isArray(value) || typeof value === 'string') {
    return { refs: parseRefs(value, location, patterns), variables: null, changes: null, kubernetes: false };
  }
  if (!isMap(value)) throw configError(location, 'has to be either an array of conditions or a hash');
  checkKnownKeys(value, location, KEYS);
  const [refs, variables] = ['refs', 'variables'].map((key) => value.get(key));
  return {
    refs: isPresent(refs) ? parseRefs(refs, location, patterns) : null,
    variables: isPresent(variables) ? parseConditions(variables, location, patterns) : null,
    changes: parseGlobs(value.get('changes') ?? null, location, 'changes'),
    kubernetes: isPresent(value.get('kubernetes')),
  };
}

function parseRefs(value: CiValue, location: string, patterns: PatternCache): RefCondition[] {
  const words = 'config should be an array of strings or regular expressions using re2 syntax';
  const refs = flattenArrays(value);
  return parseStrings(refs ?? value, location, words).map((text) => {
    const condition = parseRefCondition(text, patterns);
    if (condition === null) throw configError(location, words);
    return condition;
  });
}

/** Parses a ref condition, optionally with a project path: `main@team/app`, `/^v/@team/app`. */
function parseRefCondition(text: string, patterns: PatternCache): RefCondition | null {
  const separatorIndex = text.lastIndexOf('@');
  if (separatorIndex <= 0 || (text.startsWith('/') && patterns.compileLiteral(text) !== null))
    return parseNameCondition(text, patterns);
  const [name, path] = [text.slice(0, separatorIndex), text.slice(separatorIndex + 1)];
  const condition = parseNameCondition(name, patterns);
  return condition && ((subject) => subject.projectPath === path && condition(subject));
}

function parseNameCondition(name: string, patterns: PatternCache): RefCondition | null {
  if (name === 'branches') return ({ tag }) => !tag;
  if (name === 'tags') return ({ tag }) => tag;
  const sourceName = SOURCES.get(name);
  if (sourceName !== undefined) return ({ source, ref }) => source === sourceName || ref === name;
  if (!name.startsWith('/')) return ({ ref }) => ref === name;
  const pattern = patterns.compileLiteral(name);
  return pattern && (({ ref }) => pattern.find(ref));
}

function parseConditions(value: CiValue, location: string, patterns: PatternCache): Condition[] {
  return parseStrings(value, location, 'variables should be an array of strings').map((source) => {
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
    ...(changes === null ? [] : [() => paths.haveChanged(changes, values)]),
    ...(kubernetes ? [() => false] : []),
  ];
}
