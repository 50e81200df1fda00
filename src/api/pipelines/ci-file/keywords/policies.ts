import { type Condition, type Patterns, readCondition, type Values } from '../expressions/expression.ts';
import type { Paths } from '../expressions/paths.ts';
import { type CiValue, isArray, isMap } from '../yaml/values.ts';
import { flattened, isGiven, knownKeys, textsAt, wrong } from './checks.ts';
import { globsAt } from './rules.ts';

/** `only` or `except`: what of a pipeline it is about. Each that is given holds, or doesn't. */
export interface Policy {
  readonly refs: readonly RefCondition[] | null;
  readonly variables: readonly Condition[] | null;
  readonly changes: readonly string[] | null;
  /** `kubernetes: active`: no cluster is ever. */
  readonly kubernetes: boolean;
}

/** What a policy asks about a pipeline. */
export interface PolicySubject {
  readonly ref: string;
  readonly tag: boolean;
  readonly source: string;
  readonly projectPath: string;
}

type RefCondition = (subject: PolicySubject) => boolean;

/** By their names in `only` and `except`. */
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

export function policyAt(value: CiValue, where: string, patterns: Patterns): Policy {
  if (isArray(value) || typeof value === 'string') {
    return { refs: refsAt(value, where, patterns), variables: null, changes: null, kubernetes: false };
  }
  if (!isMap(value)) throw wrong(where, 'has to be either an array of conditions or a hash');
  knownKeys(value, where, KEYS);
  const [refs, variables] = ['refs', 'variables'].map((key) => value.get(key));
  return {
    refs: isGiven(refs) ? refsAt(refs, where, patterns) : null,
    variables: isGiven(variables) ? conditionsAt(variables, where, patterns) : null,
    changes: globsAt(value.get('changes') ?? null, where, 'changes'),
    kubernetes: isGiven(value.get('kubernetes')),
  };
}

function refsAt(value: CiValue, where: string, patterns: Patterns): RefCondition[] {
  const words = 'config should be an array of strings or regular expressions using re2 syntax';
  const refs = flattened(value);
  return textsAt(refs ?? value, where, words).map((text) => {
    const read = refCondition(text, patterns);
    if (read === null) throw wrong(where, words);
    return read;
  });
}

/** A name, or one with the path of the project that it is meant for: `main@team/app`, `/^v/@team/app`. */
function refCondition(text: string, patterns: Patterns): RefCondition | null {
  const at = text.lastIndexOf('@');
  if (at <= 0 || (text.startsWith('/') && patterns.ofText(text) !== null)) return nameCondition(text, patterns);
  const [name, path] = [text.slice(0, at), text.slice(at + 1)];
  const condition = nameCondition(name, patterns);
  return condition && ((subject) => subject.projectPath === path && condition(subject));
}

function nameCondition(name: string, patterns: Patterns): RefCondition | null {
  if (name === 'branches') return ({ tag }) => !tag;
  if (name === 'tags') return ({ tag }) => tag;
  const named = SOURCES.get(name);
  if (named !== undefined) return ({ source, ref }) => source === named || ref === name;
  if (!name.startsWith('/')) return ({ ref }) => ref === name;
  const pattern = patterns.ofText(name);
  return pattern && (({ ref }) => pattern.find(ref));
}

function conditionsAt(value: CiValue, where: string, patterns: Patterns): Condition[] {
  return textsAt(value, where, 'variables should be an array of strings').map((source) => {
    const condition = readCondition(source, patterns);
    if (condition === null) throw wrong(where, 'variables invalid expression syntax');
    return condition;
  });
}

/** Do all the parts of an `only` hold? Without refs it means branches and tags, which every pipeline is of. */
export function allHold(policy: Policy, subject: PolicySubject, values: Values, paths: Paths): boolean {
  return partsOf(policy, subject, values, paths).every((part) => part());
}

/** Does any part of an `except` hold? */
export function anyHolds(policy: Policy, subject: PolicySubject, values: Values, paths: Paths): boolean {
  return partsOf(policy, subject, values, paths).some((part) => part());
}

function partsOf(
  { refs, variables, changes, kubernetes }: Policy,
  subject: PolicySubject,
  values: Values,
  paths: Paths,
): (() => boolean)[] {
  return [
    ...(refs === null ? [] : [() => refs.some((matches) => matches(subject))]),
    ...(variables === null ? [] : [() => variables.some((condition) => condition.holds(values))]),
    ...(changes === null ? [] : [() => paths.haveChanged(changes, values)]),
    ...(kubernetes ? [() => false] : []),
  ];
}
