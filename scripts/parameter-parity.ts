// `node bin/launcher.js scripts/parameter-parity.ts openapi.yaml` compares the parameters of each endpoint with those of the
// same operation in the OpenAPI document of the reference. It updates contract/parameters.tsv and prints the rows that are missing.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { resourceModules } from '#api/index.ts';
import type { Endpoint } from '#http/endpoint/endpoint.ts';
import { createRegistry } from '#http/server/routing/registry.ts';
import {
  declaresParameter,
  formatParameterRows,
  type ParameterRow,
  parseParameterRows,
  SUPPORTED,
  toPlainPath,
  toRouteShape,
} from './declared-parameters.ts';

const MISSING = 'missing';
const tablePath = join(import.meta.dirname, '../contract/parameters.tsv');

interface Schema {
  readonly enum?: readonly unknown[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly $ref?: string;
}

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema?: Schema }[];
  readonly requestBody?: { readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> };
}

interface ReferenceDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}

/** Returns the parameters and enum values of an operation of the document, `order_by` and `order_by=title`. */
function listParameters({ components }: ReferenceDocument, { parameters = [], requestBody }: Operation): string[] {
  const names = new Set<string>();
  const add = (name: string, schema: Schema | undefined) => {
    names.add(name);
    // A blank value counts as not sent.
    for (const value of schema?.enum ?? []) if (value !== '') names.add(`${name}=${value}`);
    for (const alternative of schema?.oneOf ?? []) add(name, alternative);
    if (schema?.items !== undefined) add(name, schema.items);
    for (const [key, field] of Object.entries(schema?.properties ?? {})) add(`${name}[${key}]`, field);
  };
  for (const { name, in: place, schema } of parameters) if (place === 'query') add(name.replaceAll('[]', ''), schema);
  for (const { schema } of Object.values(requestBody?.content ?? {})) {
    const body = schema?.$ref === undefined ? schema : components?.schemas?.[schema.$ref.split('/').at(-1) ?? ''];
    for (const [name, field] of Object.entries(body?.properties ?? {})) add(name, field);
  }
  return [...names];
}

function toRows(
  endpoint: Endpoint,
  parameters: readonly string[],
  statuses: ReadonlyMap<string, string>,
): ParameterRow[] {
  const { method } = endpoint;
  const path = toPlainPath(endpoint);
  return parameters.map((parameter) => {
    const reason = statuses.get(`${toRouteShape(method, path)} ${parameter}`);
    const keepsReason = reason !== undefined && reason !== SUPPORTED && reason !== MISSING;
    const status = declaresParameter(endpoint, parameter) ? SUPPORTED : keepsReason ? reason : MISSING;
    return { method, path, parameter, status };
  });
}

function readStatuses(): Map<string, string> {
  const rows = parseParameterRows(readFileSync(tablePath, 'utf8'));
  return new Map(
    rows.map(({ method, path, parameter, status }) => [`${toRouteShape(method, path)} ${parameter}`, status]),
  );
}

const [documentPath] = process.argv.slice(2);
if (documentPath === undefined) {
  console.error('Usage: node bin/launcher.js scripts/parameter-parity.ts openapi.yaml');
  process.exit(1);
}
const document = parse(readFileSync(documentPath, 'utf8')) as ReferenceDocument;
const endpoints = new Map(
  createRegistry(resourceModules).endpoints.map((endpoint) => [
    toRouteShape(endpoint.method, toPlainPath(endpoint)),
    endpoint,
  ]),
);
const statuses = readStatuses();
const rows = Object.entries(document.paths).flatMap(([path, operations]) =>
  Object.entries(operations).flatMap(([method, operation]) => {
    const shape = `${method.toUpperCase()} ${path.replace(/\{[^}]*\}/g, '{}')}`;
    const endpoint = endpoints.get(shape);
    return endpoint === undefined ? [] : toRows(endpoint, listParameters(document, operation), statuses);
  }),
);
writeFileSync(tablePath, formatParameterRows(rows));
const missing = rows.filter(({ status }) => status === MISSING);
for (const { method, path, parameter } of missing) console.log(`${method}\t${path}\t${parameter}`);
console.error(`${rows.length} rows, ${missing.length} missing`);
