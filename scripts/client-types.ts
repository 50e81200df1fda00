// Generates web/api/operations.ts: the types of the API operations that the web application calls, from the OpenAPI document.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildOpenApiDocument } from '#http/documents/openapi.ts';
import type { Registry } from '#http/server/routing/registry.ts';
import { listOperations } from './pages.ts';

/** The keywords of JSON Schema that the document uses. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema | boolean;
  readonly prefixItems?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

interface Content {
  readonly schema?: Schema;
}

interface Operation {
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Content>> }>>;
}

const web = join(import.meta.dirname, '../web');

/** Returns the text of web/api/operations.ts. Throws for a call of an operation that no endpoint declares. */
export async function formatClientTypes(registry: Registry): Promise<string> {
  const { paths, components } = await buildOpenApiDocument(registry, { url: '', version: '' });
  const { schemas } = components as { readonly schemas: Readonly<Record<string, Schema>> };
  const operations = new Map(
    Object.entries(paths as unknown as Record<string, Record<string, Operation>>).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => [toName(method, path), operation] as const),
    ),
  );
  const lines = listCalledOperations().map((name) => {
    const operation = operations.get(name);
    if (operation === undefined) throw new Error(`web/ calls ${name}, which no endpoint declares`);
    return formatOperation(name, operation, schemas);
  });
  return `// Written by \`npm run api\`: the operations that web/ calls, and the types of their responses.

export interface Operations {
${lines.join('\n')}
}

${formatSchemas(schemas, lines.join()).join('\n\n')}
`;
}

/** Returns the operations that the sources of the web application name, `GET /projects/:id`, sorted. */
function listCalledOperations(): string[] {
  const sources = globSync('**/*.{ts,tsx}', { cwd: web, exclude: ['api/operations.ts'] })
    .filter((file) => !file.includes('.test.'))
    .map((file) => readFileSync(join(web, file), 'utf8'));
  return [...new Set(sources.flatMap(listOperations))].sort();
}

/** Returns the name by which the web application calls an operation: the path below /api/v4 in the notation of endpoints. */
function toName(method: string, path: string): string {
  return `${method.toUpperCase()} ${path.replace(/^\/api\/v4/, '').replace(/\{(\w+)\}/g, ':$1')}`;
}

/** Returns the declarations of the schemas that this text names, and of those that they name. */
function formatSchemas(schemas: Readonly<Record<string, Schema>>, text: string): string[] {
  const declarations = new Map<string, string>();
  const addNamedIn = (part: string) => {
    for (const name of part.match(/\b[A-Z]\w+/g) ?? []) {
      const schema = schemas[name];
      if (schema === undefined || declarations.has(name)) continue;
      const declaration =
        schema.properties === undefined
          ? `export type ${name} = ${formatType(schema)};`
          : `export interface ${name} ${formatFields(schema)}`;
      declarations.set(name, declaration);
      addNamedIn(declaration);
    }
  };
  addNamedIn(text);
  return [...declarations].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, declaration]) => declaration);
}

function formatOperation(
  name: string,
  { parameters = [], requestBody, responses }: Operation,
  schemas: Readonly<Record<string, Schema>>,
): string {
  const bodySchema = Object.values(requestBody?.content ?? {})[0]?.schema ?? {};
  const body = bodySchema.$ref === undefined ? bodySchema : schemas[toSchemaName(bodySchema.$ref)]!;
  const required = [
    ...parameters.filter((parameter) => parameter.required).map((parameter) => toKey(parameter.name)),
    ...(body.required ?? []),
  ];
  const properties = {
    ...Object.fromEntries(
      parameters.map((parameter) => [toKey(parameter.name), parameter.in === 'path' ? PATH_VALUE : parameter.schema]),
    ),
    ...Object.fromEntries(
      Object.entries(body.properties ?? {}).map(([key, schema]) => [
        key,
        required.includes(key) ? schema : { anyOf: [schema, NULL] },
      ]),
    ),
  };
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1];
  const result = success?.content?.['application/json']?.schema;
  const params = formatObject({ properties, required });
  return `  '${name}': { params: ${params}; result: ${result === undefined ? 'null' : formatType(result)} };`;
}

/** A value in a path, which the client encodes. */
const PATH_VALUE: Schema = { type: ['integer', 'string'] };

/** An optional parameter of a body may be null, which for many attributes means that they lose their value. */
const NULL: Schema = { type: 'null' };

/** Returns the key of a parameter in the types: the brackets of an array in a query belong to the encoding. */
const toKey = (name: string): string => name.replace(/\[\]$/, '');

function formatType(schema: Schema): string {
  const { $ref, anyOf, items, prefixItems, properties, patternProperties } = schema;
  if ($ref !== undefined) return toSchemaName($ref);
  if (anyOf !== undefined) return formatUnion(anyOf.map(formatType));
  if (schema.enum !== undefined) return formatUnion(schema.enum.map(formatLiteral));
  if ('const' in schema) return formatLiteral(schema.const);
  if (prefixItems !== undefined) return `readonly [${prefixItems.map(formatType).join(', ')}]`;
  if (typeof items === 'object') return `readonly ${formatElement(items)}[]`;
  if (properties !== undefined) return formatObject(schema);
  if (patternProperties !== undefined)
    return `Readonly<Record<string, ${formatUnion(Object.values(patternProperties).map(formatType))}>>`;
  const { type = 'unknown' } = schema;
  return typeof type === 'string'
    ? (TYPE_NAMES[type] ?? type)
    : formatUnion(type.map((name) => TYPE_NAMES[name] ?? name));
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  integer: 'number',
  array: 'readonly unknown[]',
  object: 'Readonly<Record<string, unknown>>',
};

const toSchemaName = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1);

function formatElement(items: Schema): string {
  const type = formatType(items);
  return /[|&]|^readonly/.test(type) && !type.startsWith('{') ? `(${type})` : type;
}

const formatUnion = (types: readonly string[]): string => [...new Set(types)].join(' | ');
const formatLiteral = (value: unknown): string =>
  typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : String(value);

/** Returns the body of an interface, with one line for each field. */
const formatFields = (schema: Schema): string =>
  `{\n${listFields(schema)
    .map((field) => `  ${field};\n`)
    .join('')}}`;

/** Returns an object type in one line. */
function formatObject(schema: Schema): string {
  const fields = listFields(schema);
  return fields.length === 0 ? '{}' : `{ ${fields.join('; ')} }`;
}

function listFields({ properties = {}, required = [] }: Schema): string[] {
  return Object.entries(properties).map(([name, schema]) => {
    const key = /^\w+$/.test(name) ? name : `'${name}'`;
    return `readonly ${key}${required.includes(name) ? '' : '?'}: ${formatType(schema)}`;
  });
}
