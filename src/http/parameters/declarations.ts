import { type TSchema, Type } from 'typebox';
import type { Tier } from '#config.ts';
import { isRaw, type Raw } from './brackets.ts';
import { firstText } from './first-text.ts';
import type { ParameterType, Problems } from './parameter-type.ts';

/** A declared parameter: its type, whether its key must be there, and what stands for an absent value. */
export interface Parameter<
  T,
  Presence extends 'required' | 'optional' | 'defaulted' = 'required' | 'optional' | 'defaulted',
> {
  readonly type: ParameterType<T>;
  readonly presence: Presence;
  readonly fallback?: T;
  readonly summary?: string;
  /** On other tiers it is ignored, whatever it is. */
  readonly tiers?: readonly Tier[];
}

// biome-ignore lint/suspicious/noExplicitAny: a declaration holds parameters of every type
export type Parameters = Readonly<Record<string, Parameter<any>>>;

/** What a handler gets: required and defaulted ones are there, an optional one may be absent or null. */
export type ParameterValues<P extends Parameters> = {
  readonly [K in keyof P]: P[K] extends Parameter<infer T, infer Presence>
    ? Presence extends 'optional'
      ? T | null | undefined
      : T
    : never;
};

/** Whether an optional parameter was sent, and not as null. */
export const given = <T>(value: T | null | undefined): value is T => value !== null && value !== undefined;

/** The key must be present; an empty string passes unless the type refuses blanks. */
export function required<T>(type: ParameterType<T>, summary?: string): Parameter<T, 'required'> {
  return { type, presence: 'required', summary };
}

export function optional<T>(type: ParameterType<T>): Parameter<T, 'optional'>;
export function optional<T>(type: ParameterType<T>, fallback: NoInfer<T>, summary?: string): Parameter<T, 'defaulted'>;
export function optional<T>(
  type: ParameterType<T>,
  fallback?: T,
  summary?: string,
): Parameter<T, 'optional' | 'defaulted'> {
  return { type, presence: fallback === undefined ? 'optional' : 'defaulted', fallback, summary };
}

/** The same parameter, on these tiers only. */
export function onTiers<P extends Parameter<unknown>>(parameter: P, ...tiers: readonly Tier[]): P {
  return { ...parameter, tiers };
}

/** What was sent of what is declared, in the path or beside it, without what this tier ignores. */
export function offeredOn(tier: Tier, declared: Parameters, path: Raw, given: Raw): Raw {
  const offered: Raw = {};
  for (const name in declared) {
    const value = path[name] ?? given[name];
    if (value !== undefined && declared[name]?.tiers?.includes(tier) !== false) offered[name] = value;
  }
  return offered;
}

/** A rule over several parameters, checked after each of them has been read; of a hash, with that hash's name. */
export type Rule = (given: Raw, problems: Problems, prefix?: string) => void;

const named = (name: string, prefix: string | undefined) => (prefix === undefined ? name : `${prefix}[${name}]`);
const listed = (names: readonly string[], prefix: string | undefined) =>
  names.map((name) => named(name, prefix)).join(', ');

const present = (given: Raw, names: readonly string[]) =>
  names.filter((name) => given[name] !== undefined && given[name] !== null);

/** At most one of these; several are refused with the general text, or with one of their own. */
export function exclusive(...parts: readonly (string | { readonly text: string })[]): Rule {
  const names = parts.filter((part) => typeof part === 'string');
  const own = parts.find((part) => typeof part === 'object')?.text;
  return (given, problems, prefix) => {
    const both = present(given, names);
    if (both.length > 1) problems.add(own ?? `${listed(both, prefix)} are mutually exclusive`);
  };
}

export function atLeastOne(...names: string[]): Rule {
  return (given, problems, prefix) => {
    if (names.every((name) => given[name] === undefined)) {
      problems.add(`${listed(names, prefix)} are missing, at least one parameter must be provided`);
    }
  };
}

/** One of these and not several. */
export function exactlyOne(...names: string[]): Rule {
  return (given, problems, prefix) => {
    const sent = present(given, names);
    if (sent.length === 0) problems.add(`${listed(names, prefix)} are missing, exactly one parameter must be provided`);
    if (sent.length > 1) problems.add(`${listed(sent, prefix)} are mutually exclusive`);
  };
}

export function allOrNone(...names: string[]): Rule {
  return (given, problems, prefix) => {
    const sent = present(given, names).length;
    if (sent > 0 && sent < names.length) problems.add(`${listed(names, prefix)} provide all or none of parameters`);
  };
}

/** Reads the whole set; what is wrong is collected in declaration order (contract/conventions.md §3). */
export function readParameters<P extends Parameters>(
  declared: P,
  given: Raw,
  problems: Problems,
  rules: readonly Rule[] = [],
  prefix?: string,
): ParameterValues<P> {
  const values: Record<string, unknown> = {};
  const sent = withoutBlanks(declared, given);
  for (const name in declared) {
    const parameter = declared[name] as Parameter<unknown>;
    values[name] = readOne(parameter, sent[name], named(name, prefix), problems);
  }
  for (const rule of rules) rule(sent, problems, prefix);
  return values as ParameterValues<P>;
}

/** What counts as sent: a blank value of a type that says so is as good as none, for rules too. */
function withoutBlanks(declared: Parameters, given: Raw): Raw {
  const blank: string[] = [];
  for (const name in declared) if (given[name] === '' && declared[name]?.type.absentIfBlank) blank.push(name);
  if (blank.length === 0) return given;
  // Not copied: it may hold much that nobody has declared.
  return Object.assign(Object.create(given), Object.fromEntries(blank.map((name) => [name, undefined])));
}

function readOne(parameter: Parameter<unknown>, raw: unknown, name: string, problems: Problems): unknown {
  const { type, presence, fallback } = parameter;
  if (raw === undefined) {
    if (presence === 'required') missing(type, name, problems);
    return fallback;
  }
  if (presence !== 'required' && raw === null && type.refusesBlank !== true) {
    const empty = type.read(null, name, problems);
    return fallback ?? empty;
  }
  const said = problems.said;
  const value = type.read(raw, name, problems);
  if (value === null && presence === 'defaulted') return fallback;
  if (value !== null || presence !== 'required' || problems.said > said) return value;
  return type.blank ?? problems.add(type.limitsValues ? `${name} does not have a valid value` : `${name} is missing`);
}

function missing(type: ParameterType<unknown>, name: string, problems: Problems): void {
  problems.add(`${name} is missing`);
  if (type.refusesBlank) problems.add(`${name} is empty`);
  if (type.limitsValues) problems.add(`${name} does not have a valid value`);
}

/** A hash with declared keys; they are validated only when the hash itself is sent, and so are its rules. */
export function hash<P extends Parameters>(
  declared: P,
  rules: readonly Rule[] = [],
): ParameterType<ParameterValues<P>> {
  return {
    schema: parametersSchema(declared),
    isHash: true,
    tooLong: (raw, name) => (isRaw(raw) ? tooLongAmong(declared, raw, name) : null),
    read(raw, name, problems) {
      if (raw === null || raw === '') return null;
      return isRaw(raw) ? readParameters(declared, raw, problems, rules, name) : problems.invalid(name);
    },
  };
}

/** The first text or list among these that is longer than it may be, in words; nothing else of them is looked at. */
export function tooLongAmong(declared: Parameters, given: Raw, prefix?: string): string | null {
  return firstText(Object.entries(declared), ([name, { type }]) => {
    return type.tooLong?.(given[name], named(name, prefix)) ?? null;
  });
}

/** The JSON schema of a set of parameters. */
export function parametersSchema(declared: Parameters): TSchema {
  const properties: Record<string, TSchema> = {};
  for (const [name, { type, presence, fallback, summary }] of Object.entries(declared)) {
    const notes = {
      ...(fallback === undefined ? {} : { default: fallback }),
      ...(summary ? { description: summary } : {}),
    };
    const schema = { ...type.schema, ...notes } as TSchema;
    properties[name] = presence === 'required' ? schema : Type.Optional(schema);
  }
  return Type.Object(properties);
}
