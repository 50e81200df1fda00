import { type TSchema, Type } from 'typebox';
import type { Tier } from '#config.ts';
import { isParameterObject, type RawParameters } from './brackets.ts';
import { findFirstText, type ParameterType, type Problems } from './parameter-type.ts';

/** A declared parameter: its type, whether it is required, and its default value. */
export interface Parameter<
  T,
  Presence extends 'required' | 'optional' | 'defaulted' = 'required' | 'optional' | 'defaulted',
> {
  readonly type: ParameterType<T>;
  readonly presence: Presence;
  /** The default value. */
  readonly defaultValue?: T | undefined;
  /** The description in the OpenAPI document. */
  readonly description?: string;
  /** Tiers on which the parameter is read; other tiers ignore it. */
  readonly tiers?: readonly Tier[];
}

// biome-ignore lint/suspicious/noExplicitAny: a declaration holds parameters of every type
export type Parameters = Readonly<Record<string, Parameter<any>>>;

/** The values for the handler: required and defaulted parameters are present, optional ones may be absent or null. */
export type ParameterValues<P extends Parameters> = {
  readonly [K in keyof P]: P[K] extends Parameter<infer T, infer Presence>
    ? Presence extends 'optional'
      ? T | null | undefined
      : T
    : never;
};

/** Content whose parts callers may omit or send as null. */
export type NullablePartial<T> = { readonly [Name in keyof T]?: T[Name] | null | undefined };

/** Returns whether an optional parameter was sent with a value other than null. */
export const isPresent = <T>(value: T | null | undefined): value is T => value !== null && value !== undefined;

/** Declares a parameter whose key must be present; an empty string is valid unless the type rejects blanks. */
export function required<T>(type: ParameterType<T>): Parameter<T, 'required'> {
  return { type, presence: 'required' };
}

/** Declares a parameter that may be absent or null; `fallback` is its default value. */
export function optional<T>(type: ParameterType<T>): Parameter<T, 'optional'>;
export function optional<T>(type: ParameterType<T>, fallback: NoInfer<T>): Parameter<T, 'defaulted'>;
export function optional<T>(type: ParameterType<T>, fallback?: T): Parameter<T, 'optional' | 'defaulted'> {
  return { type, presence: fallback === undefined ? 'optional' : 'defaulted', defaultValue: fallback };
}

/**
 * Describes a parameter in the OpenAPI document in one sentence, where its meaning differs from that of other parameters of
 * its name.
 */
export function describe<P extends Parameter<unknown>>(parameter: P, description: string): P {
  return { ...parameter, description };
}

/** Restricts a parameter to these tiers. */
export function onTiers<P extends Parameter<unknown>>(parameter: P, ...tiers: readonly Tier[]): P {
  return { ...parameter, tiers };
}

/** Returns the declared parameters that were sent, in path, query or body, without those that this tier ignores. */
export function selectDeclaredParameters(
  tier: Tier,
  declared: Parameters,
  path: RawParameters,
  rawParams: RawParameters,
): RawParameters {
  const sentParams: RawParameters = {};
  for (const name in declared) {
    const value = path[name] ?? rawParams[name];
    if (value !== undefined && declared[name]?.tiers?.includes(tier) !== false) sentParams[name] = value;
  }
  return sentParams;
}

/** A rule over several parameters, checked after all are read. `prefix` is the name of the object that contains them. */
export interface ParameterRule {
  (rawParams: RawParameters, problems: Problems, prefix?: string): void;
  /** At least one of these parameters must be sent. */
  readonly requiresOneOf?: readonly string[];
}

const toFullName = (name: string, prefix: string | undefined) => (prefix === undefined ? name : `${prefix}[${name}]`);
const joinNames = (names: readonly string[], prefix: string | undefined) =>
  names.map((name) => toFullName(name, prefix)).join(', ');

const listPresentNames = (rawParams: RawParameters, names: readonly string[]) =>
  names.filter((name) => rawParams[name] !== undefined && rawParams[name] !== null);

/** Allows at most one of the named parameters; the text in a part `{ text }` replaces the standard message. */
export function mutuallyExclusive(...parts: readonly (string | { readonly text: string })[]): ParameterRule {
  const names = parts.filter((part) => typeof part === 'string');
  const customText = parts.find((part) => typeof part === 'object')?.text;
  return (rawParams, problems, prefix) => {
    const sentNames = listPresentNames(rawParams, names);
    if (sentNames.length > 1) problems.add(customText ?? `${joinNames(sentNames, prefix)} are mutually exclusive`);
  };
}

/** Requires at least one of these parameters. */
export function atLeastOne(...names: string[]): ParameterRule {
  const rule: ParameterRule = (rawParams, problems, prefix) => {
    if (names.every((name) => rawParams[name] === undefined))
      problems.add(`${joinNames(names, prefix)} are missing, at least one parameter must be provided`);
  };
  return Object.assign(rule, { requiresOneOf: names });
}

/** Requires exactly one of these parameters. */
export function exactlyOne(...names: string[]): ParameterRule {
  const rule: ParameterRule = (rawParams, problems, prefix) => {
    const sentNames = listPresentNames(rawParams, names);
    if (sentNames.length === 0)
      problems.add(`${joinNames(names, prefix)} are missing, exactly one parameter must be provided`);
    if (sentNames.length > 1) problems.add(`${joinNames(sentNames, prefix)} are mutually exclusive`);
  };
  return Object.assign(rule, { requiresOneOf: names });
}

/** Requires all of these parameters or none. */
export function allOrNone(...names: string[]): ParameterRule {
  return (rawParams, problems, prefix) => {
    const sentCount = listPresentNames(rawParams, names).length;
    if (sentCount > 0 && sentCount < names.length)
      problems.add(`${joinNames(names, prefix)} provide all or none of parameters`);
  };
}

/** Reads and validates all parameters. Collects problems in declaration order (contract/conventions.md §3). */
export function readParameters<P extends Parameters>(
  declared: P,
  rawParams: RawParameters,
  problems: Problems,
  rules: readonly ParameterRule[] = [],
  prefix?: string,
): ParameterValues<P> {
  const values: Record<string, unknown> = {};
  const sentParams = withoutBlanks(declared, rawParams);
  for (const name in declared) {
    const parameter = declared[name] as Parameter<unknown>;
    values[name] = readParameter(parameter, sentParams[name], toFullName(name, prefix), problems);
  }
  for (const rule of rules) rule(sentParams, problems, prefix);
  return values as ParameterValues<P>;
}

/** Removes blank values of types with `absentIfBlank`, so that rules treat them as absent too. */
function withoutBlanks(declared: Parameters, rawParams: RawParameters): RawParameters {
  const blankNames: string[] = [];
  for (const name in declared) if (rawParams[name] === '' && declared[name]?.type.absentIfBlank) blankNames.push(name);
  if (blankNames.length === 0) return rawParams;
  // Not copied, because it may contain many undeclared parameters.
  return Object.assign(Object.create(rawParams), Object.fromEntries(blankNames.map((name) => [name, undefined])));
}

function readParameter(parameter: Parameter<unknown>, raw: unknown, name: string, problems: Problems): unknown {
  const { type, presence, defaultValue: fallback } = parameter;
  if (raw === undefined) {
    if (presence === 'required') addMissing(type, name, problems);
    return fallback;
  }
  if (presence !== 'required' && raw === null && type.rejectsBlank !== true) {
    // Null is the default value, or without one the empty value of the type: [] for an array.
    const emptyValue = type.read(null, name, problems);
    return fallback ?? emptyValue;
  }
  const problemCountBefore = problems.count;
  const value = type.read(raw, name, problems);
  if (value === null && presence === 'defaulted') return fallback;
  if (value !== null || presence !== 'required' || problems.count > problemCountBefore) return value;
  // The parameter was sent, but as null or blank.
  return (
    type.valueForNull ?? problems.add(type.limitsValues ? `${name} does not have a valid value` : `${name} is missing`)
  );
}

function addMissing(type: ParameterType<unknown>, name: string, problems: Problems): void {
  problems.add(`${name} is missing`);
  if (type.rejectsBlank) problems.add(`${name} is empty`);
  if (type.limitsValues) problems.add(`${name} does not have a valid value`);
}

/** Returns the type of an object with declared fields. Fields and rules are checked only if the object is sent. */
export function object<P extends Parameters>(
  declared: P,
  rules: readonly ParameterRule[] = [],
): ParameterType<ParameterValues<P>> {
  return {
    schema: parametersSchema(declared),
    isObject: true,
    getLengthError: (raw, name) => (isParameterObject(raw) ? findLengthError(declared, raw, name) : null),
    read(raw, name, problems) {
      if (raw === null || raw === '') return null;
      return isParameterObject(raw) ? readParameters(declared, raw, problems, rules, name) : problems.addInvalid(name);
    },
  };
}

/** Returns the message for the first text or list that is too long, or null. Checks nothing else. */
export function findLengthError(declared: Parameters, rawParams: RawParameters, prefix?: string): string | null {
  return findFirstText(Object.entries(declared), ([name, { type }]) => {
    return type.getLengthError?.(rawParams[name], toFullName(name, prefix)) ?? null;
  });
}

/** Returns the JSON schema of a set of parameters. */
export function parametersSchema(declared: Parameters): TSchema {
  const properties: Record<string, TSchema> = {};
  for (const [name, { type, presence, defaultValue: fallback, description }] of Object.entries(declared)) {
    const annotations = {
      ...(fallback === undefined ? {} : { default: fallback }),
      ...(description === undefined ? {} : { description }),
    };
    const schema = { ...type.schema, ...annotations } as TSchema;
    properties[name] = presence === 'required' ? schema : Type.Optional(schema);
  }
  return Type.Object(properties);
}

interface JsonSchema {
  readonly type?: string;
  readonly enum?: unknown;
  readonly anyOf?: readonly TSchema[];
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly items?: TSchema;
}

/**
 * Returns the name of the first text or list whose schema has no length limit, or null. Every parameter must have one
 * (contract/conventions.md §3 "Limits of texts").
 */
export function findUnlimitedParameter(declared: Parameters): string | null {
  return findFirstText(Object.entries(declared), ([name, { type }]) =>
    type.unvalidated ? null : findUnlimitedPart(type.schema, name),
  );
}

function findUnlimitedPart(schema: TSchema, name: string): string | null {
  const { type, anyOf, properties, items, enum: values } = schema as JsonSchema;
  if (values !== undefined) return null;
  if (anyOf !== undefined) return findFirstText(anyOf, (part) => findUnlimitedPart(part, name));
  switch (type) {
    case 'integer':
    case 'number':
    case 'boolean':
      return null;
    case 'string':
      return 'maxLength' in schema ? null : name;
    case 'array':
      return 'maxItems' in schema ? findUnlimitedPart(items ?? {}, `${name}[]`) : name;
    case 'object':
      if (properties === undefined && !('maxProperties' in schema)) return name;
      return findFirstText(Object.entries(properties ?? {}), ([key, part]) =>
        findUnlimitedPart(part, `${name}[${key}]`),
      );
    default:
      return name;
  }
}
