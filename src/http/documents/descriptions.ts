import { FIELD_DESCRIPTIONS, FIELD_PATTERNS } from './field-descriptions.ts';
import {
  BODY_DESCRIPTIONS,
  PARAMETER_DESCRIPTIONS,
  PARAMETER_PATTERNS,
  PATH_PARAMETER_DESCRIPTIONS,
  QUERY_DESCRIPTIONS,
} from './parameter-descriptions.ts';

/**
 * Descriptions of parameters and fields by their names. The bundle has them in a module of its own, which the first request for
 * the OpenAPI document loads.
 */

/** Returns the description of a parameter of a query or body; undefined if its name is sufficient. */
export function describeParameter(name: string, location: 'query' | 'body'): string | undefined {
  const locationDescriptions = location === 'query' ? QUERY_DESCRIPTIONS : BODY_DESCRIPTIONS;
  return Object.hasOwn(locationDescriptions, name)
    ? locationDescriptions[name]
    : find(name, PARAMETER_DESCRIPTIONS, PARAMETER_PATTERNS);
}

/** Returns the description of a parameter of the path `template`, such as `/api/v4/projects/{id}`. */
export function describePathParameter(template: string, name: string): string | undefined {
  const segments = template.split('/');
  const segmentBefore = segments[segments.findIndex((segment) => segment.includes(`{${name}}`)) - 1] ?? '';
  return PATH_PARAMETER_DESCRIPTIONS[`${segmentBefore}/{${name}}`] ?? PATH_PARAMETER_DESCRIPTIONS[name];
}

/** Matches descriptions of parameters that select or request something, which fields do not. */
const PARAMETER_ONLY_WORDING =
  /^(?:Only|Also|Adds|With|Without|Whether to|Returns|Excludes|All |Selects|IDs|Not |New|Change|Former)/;

/**
 * Returns the description of a field of a response; undefined if its name is sufficient. A field that a parameter sets has the
 * description of the parameter.
 */
export function describeField(name: string, schemaName: string): string | undefined {
  if (schemaName.endsWith('Links')) return 'URL of the resource in the API.';
  const description = FIELD_DESCRIPTIONS[`${schemaName}.${name}`] ?? find(name, FIELD_DESCRIPTIONS, FIELD_PATTERNS);
  if (description !== undefined) return description;
  const parameterDescription = describeParameter(name, 'body');
  return parameterDescription === undefined || PARAMETER_ONLY_WORDING.test(parameterDescription)
    ? undefined
    : parameterDescription;
}

function find(
  name: string,
  byName: Readonly<Record<string, string>>,
  patterns: readonly (readonly [RegExp, string])[],
): string | undefined {
  if (Object.hasOwn(byName, name)) return byName[name];
  return patterns.find(([pattern]) => pattern.test(name))?.[1];
}
