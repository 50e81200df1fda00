import type { TSchema } from 'typebox';
import type { Endpoint } from '../endpoint/endpoint.ts';
import type { Parameter } from '../parameters/declarations.ts';
import { getDeclaredParameters } from '../server/pipeline/handle.ts';
import { getFullPath, listPathParameterNames } from '../server/routing/paths.ts';
import type { Registry } from '../server/routing/registry.ts';

/** The generated files that show each change of the API as a diff: `api.txt`, `api-parameters.txt`, `test/stage-orders.txt`. */

/**
 * Returns `api.txt`, one line per endpoint. Columns: method and path, name, access, stage order unless it is the standard
 * one, own scopes and accepted tokens, response, recorded activity.
 */
export function formatEndpoints({ endpoints }: Registry): string {
  return formatTable(endpoints.map(toEndpointColumns));
}

/**
 * Returns `api-parameters.txt`, one line per parameter that is not in the path. Columns: method and path, name (`object[field]`
 * for a field of an object), required or optional, type and default.
 */
export function formatParameters({ endpoints }: Registry): string {
  return formatTable(endpoints.flatMap(toParameterRows));
}

function formatTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_cell, column) =>
    Math.min(MAX_COLUMN_WIDTH, Math.max(...rows.map((row) => row[column]?.length ?? 0))),
  );
  const formatLine = (row: readonly string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return `${rows.map(formatLine).join('\n')}\n`;
}

/** Maximum width in characters by which columns are aligned. A longer cell shifts only its own line. */
const MAX_COLUMN_WIDTH = 80;

function toEndpointColumns(endpoint: Endpoint): string[] {
  const { name, access, stageOrder, response, activity } = endpoint;
  return [
    formatRoute(endpoint),
    name,
    access.label,
    stageOrder === 'standard' ? '-' : stageOrder,
    formatAcceptedTokens(endpoint) || '-',
    `${response.status} ${response.kind}`,
    activity.length === 0 ? '' : `records ${activity.join(', ')}`,
  ];
}

function formatRoute(endpoint: Endpoint): string {
  return `${endpoint.method.padEnd(6)} ${getFullPath(endpoint)}`;
}

function formatAcceptedTokens({ scopes, anyScope, allowJobToken, allowSiteToken }: Endpoint): string {
  const others = [...(allowJobToken ? ['job token'] : []), ...(allowSiteToken ? ['site'] : [])];
  return [...(anyScope ? ['any scope'] : scopes), ...others].join(',');
}

function toParameterRows(endpoint: Endpoint): string[][] {
  const pathNames = listPathParameterNames(endpoint.path);
  return Object.entries({ ...getDeclaredParameters(endpoint), ...endpoint.fields })
    .filter(([name]) => !pathNames.includes(name))
    .flatMap(([name, parameter]) => formatParameter(name, parameter))
    .map((columns) => [formatRoute(endpoint), ...columns]);
}

function formatParameter(
  name: string,
  { type, presence, defaultValue: fallback, tiers }: Parameter<unknown>,
): string[][] {
  const { schema } = type;
  const defaultValue = fallback === undefined ? '' : ` = ${JSON.stringify(fallback)}`;
  const tierSuffix = tiers === undefined ? '' : ` (${tiers.join(', ')})`;
  const columns = [
    name,
    presence === 'required' ? 'required' : 'optional',
    `${formatType(schema)}${defaultValue}${tierSuffix}`,
  ];
  return [columns, ...toFieldRows(name, schema)];
}

interface JsonSchema {
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly TSchema[];
  readonly items?: TSchema;
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly required?: readonly string[];
}

/** Returns the rows of the fields of an object, or of the objects in a list. */
function toFieldRows(name: string, schema: TSchema): string[][] {
  const { items, properties = {}, required = [] } = schema as JsonSchema;
  if (items !== undefined) return toFieldRows(`${name}[]`, items);
  return Object.entries(properties).flatMap(([key, field]) => {
    const fieldName = `${name}[${key}]`;
    return [
      [fieldName, required.includes(key) ? 'required' : 'optional', formatType(field)],
      ...toFieldRows(fieldName, field),
    ];
  });
}

/** Returns a type as text: `string`, `integer[]`, `"asc" | "desc"`. */
function formatType(schema: TSchema): string {
  const { type, format, enum: values, anyOf, items } = schema as JsonSchema;
  if (anyOf !== undefined) return anyOf.map(formatType).join(' | ');
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(' | ');
  if (items !== undefined) {
    const element = formatType(items);
    return element.includes(' | ') ? `(${element})[]` : `${element}[]`;
  }
  return format ?? type ?? 'any';
}

/** Returns `test/stage-orders.txt`: the endpoints without the standard stage order, one per line (contract/conventions.md §1). */
export function formatStageOrders(registry: Registry): string {
  return registry.endpoints
    .filter(({ stageOrder }) => stageOrder !== 'standard')
    .map((endpoint) => `${endpoint.stageOrder}  ${endpoint.method} ${getFullPath(endpoint)}  ${endpoint.name}\n`)
    .sort()
    .join('');
}
