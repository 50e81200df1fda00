// Lists the parameters and enum values that the endpoints declare, in the names that contract/parameters.tsv uses.
import type { TSchema } from 'typebox';
import type { Endpoint } from '#http/endpoint/endpoint.ts';
import { getDeclaredParameters } from '#http/server/pipeline/handle.ts';
import { getFullPath, listPathParameterNames, replaceParameters } from '#http/server/routing/paths.ts';

/** A row of contract/parameters.tsv: `order_by`, `not[labels]`, or one enum value as `order_by=title`. */
export interface ParameterRow {
  readonly method: string;
  /** Path with the names of path parameters of the endpoint, `/api/v4/projects/:id/issues`. */
  readonly path: string;
  readonly parameter: string;
  /** `supported`, or the reason why the parameter does not apply. */
  readonly status: string;
}

export const SUPPORTED = 'supported';

export function parseParameterRows(text: string): ParameterRow[] {
  return text
    .split('\n')
    .slice(1)
    .filter((line) => line !== '')
    .map((line) => {
      const [method = '', path = '', parameter = '', status = ''] = line.split('\t');
      return { method, path, parameter, status };
    });
}

export function formatParameterRows(rows: readonly ParameterRow[]): string {
  const lines = rows.map(({ method, path, parameter, status }) => [method, path, parameter, status].join('\t'));
  return `${['method\tpath\tparameter\tstatus', ...lines].join('\n')}\n`;
}

/** Returns method and path without the names of path parameters, which have no meaning. */
export const toRouteShape = (method: string, path: string): string =>
  `${method} ${replaceParameters(path, () => '{}')}`;

/** Returns the path of an endpoint without the patterns of its parameters. */
export const toPlainPath = (endpoint: Endpoint): string =>
  replaceParameters(getFullPath(endpoint), ({ name, matchesRest }) => `${matchesRest ? '*' : ':'}${name}`);

interface JsonSchema {
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly TSchema[];
  readonly items?: TSchema;
  readonly properties?: Readonly<Record<string, TSchema>>;
}

/** Returns whether an endpoint declares a parameter; of an enum value also whether the parameter accepts it. */
export function declaresParameter(endpoint: Endpoint, parameter: string): boolean {
  const [name = '', value] = parameter.split('=', 2);
  const schemas = collectSchemas(endpoint).get(name);
  if (schemas === undefined) return false;
  const values = schemas.flatMap(listEnumValues);
  return value === undefined || values.length === 0 || values.map(String).includes(value);
}

const schemasByEndpoint = new WeakMap<Endpoint, ReadonlyMap<string, readonly TSchema[]>>();

/** Returns the schemas of all parameters that are not in the path, by name; fields of objects are `object[field]`. */
function collectSchemas(endpoint: Endpoint): ReadonlyMap<string, readonly TSchema[]> {
  const cached = schemasByEndpoint.get(endpoint);
  if (cached !== undefined) return cached;
  const pathNames = listPathParameterNames(endpoint.path);
  const schemas = new Map<string, TSchema[]>();
  for (const [name, { type }] of Object.entries({ ...getDeclaredParameters(endpoint), ...endpoint.fields })) {
    if (!pathNames.includes(name)) addSchemas(schemas, name, type.schema);
  }
  schemasByEndpoint.set(endpoint, schemas);
  return schemas;
}

function addSchemas(schemas: Map<string, TSchema[]>, name: string, schema: TSchema): void {
  schemas.set(name, [...(schemas.get(name) ?? []), schema]);
  const { anyOf = [], items, properties = {} } = schema as JsonSchema;
  for (const alternative of anyOf) addSchemas(schemas, name, alternative);
  if (items !== undefined) addSchemas(schemas, name, items);
  for (const [key, field] of Object.entries(properties)) addSchemas(schemas, `${name}[${key}]`, field);
}

function listEnumValues(schema: TSchema): readonly unknown[] {
  return (schema as JsonSchema).enum ?? [];
}
