import type { TSchema } from 'typebox';
import { SCOPE_DESCRIPTIONS } from '#authentication/tokens/scope-descriptions.ts';
import type { ApiDocument, ApiServer, Json } from '../api-document.ts';
import type { Endpoint } from '../endpoint/endpoint.ts';
import type { ResponseType } from '../endpoint/responses.ts';
import { STAGE_ORDERS, type Stage } from '../endpoint/stages.ts';
import type { ErrorEntry } from '../errors/error-table.ts';
import { type Parameter, parametersSchema } from '../parameters/declarations.ts';
import { string } from '../parameters/texts.ts';
import { SESSION_COOKIE } from '../request/cookie.ts';
import { declaredParameters } from '../server/pipeline/handle.ts';
import { pathParameters, replaceParameters } from '../server/routing/paths.ts';
import { fullPath, type Registry } from '../server/routing/registry.ts';

/** Builds the OpenAPI 3.1 document of the routes below /api/v4 from the endpoints (contract/conventions.md §10). */

type ServerlessDocument = Omit<ApiDocument, 'servers' | 'info'>;

const documents = new WeakMap<Registry, ServerlessDocument>();

/** Returns the document. Everything except URL and version is built once, at the first request. */
export function buildOpenApiDocument(registry: Registry, { url, version }: ApiServer): ApiDocument {
  const known = documents.get(registry) ?? buildDocument(registry);
  documents.set(registry, known);
  const { openapi, ...rest } = known;
  const info = { title: 'Hearth', version, description: 'The v4 REST API of this server.' };
  const components = { securitySchemes: securitySchemes(url), ...rest.components };
  return { openapi, info, servers: [{ url }], ...rest, components };
}

function buildDocument(registry: Registry): ServerlessDocument {
  const endpoints = registry.endpoints.filter(({ root }) => !root);
  const shapes = new Shapes();
  const paths: Record<string, Record<string, Json>> = {};
  const templates = new Map<string, string>();
  for (const endpoint of endpoints) {
    // OpenAPI allows one name per position of a path: that of the first endpoint.
    const place = replaceParameters(fullPath(endpoint), () => '{}');
    const template = templates.get(place) ?? replaceParameters(fullPath(endpoint), ({ name }) => `{${name}}`);
    templates.set(place, template);
    const item = (paths[template] ??= {});
    item[endpoint.method.toLowerCase()] = operation(endpoint, template, shapes);
  }
  const tags = [...new Set(endpoints.map(tagOf))].map((name) => ({ name }));
  return { openapi: '3.1.0', tags, paths, components: components(shapes.named) };
}

const tagOf = ({ folder }: Endpoint) => folder.split('/').at(-1) ?? '';

function operation(endpoint: Endpoint, template: string, shapes: Shapes): Json {
  const { name, summary, access, stageOrder, activity, source } = endpoint;
  return {
    operationId: name,
    summary,
    tags: [tagOf(endpoint)],
    ...parametersOf(endpoint, template, shapes),
    responses: responses(endpoint, shapes),
    security: SECURITY[access.audience],
    'x-access': access.label,
    ...(stageOrder === 'standard' ? {} : { 'x-order': stageOrder }),
    ...(activity.length > 0 ? { 'x-records': activity } : {}),
    'x-source': source,
  };
}

const SIGNED_IN = [{ privateToken: [] }, { bearer: [] }, { oauth2: [] }, { session: [] }];
const SECURITY: Readonly<Record<Endpoint['access']['audience'], readonly Json[]>> = {
  open: [{}, ...SIGNED_IN],
  user: SIGNED_IN,
  admin: SIGNED_IN,
  // The request itself contains the proof.
  key: [],
};

/** The authentication schemes (contract/conventions.md §7); each operation lists those that it accepts. */
function securitySchemes(url: string): Json {
  const token = { tokenUrl: `${url}/oauth/token`, refreshUrl: `${url}/oauth/token`, scopes: SCOPE_DESCRIPTIONS };
  const authorizationCode = { authorizationUrl: `${url}/oauth/authorize`, ...token };
  return {
    privateToken: { type: 'apiKey', in: 'header', name: 'PRIVATE-TOKEN' },
    bearer: { type: 'http', scheme: 'bearer' },
    oauth2: { type: 'oauth2', flows: { authorizationCode, password: token } },
    session: { type: 'apiKey', in: 'cookie', name: SESSION_COOKIE },
  };
}

function parametersOf(endpoint: Endpoint, template: string, shapes: Shapes): Json {
  const own = pathParameters(fullPath(endpoint));
  const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);
  const inPath = own.map(({ name, pattern }, index) => {
    const declared = endpoint.params[name]?.type.schema ?? string.schema;
    const schema = shapes.refer(pattern === undefined ? declared : { ...declared, ...string.schema, pattern });
    return { name: names[index] ?? name, in: 'path', required: true, schema };
  });
  const others = Object.entries(declaredParameters(endpoint)).filter(([name]) => !own.some((one) => one.name === name));
  const inBody = endpoint.body === 'late' ? Object.entries(endpoint.fields) : others;
  if (hasRequestBody(endpoint)) return { parameters: inPath, ...requestBody(endpoint, inBody, shapes) };
  return { parameters: [...inPath, ...others.map(([name, parameter]) => queryParameter(name, parameter, shapes))] };
}

const isRead = ({ method }: Endpoint) => method === 'GET' || method === 'HEAD';
const hasRequestBody = ({ method }: Endpoint) => method === 'POST' || method === 'PUT' || method === 'PATCH';

function queryParameter(name: string, { type, presence, fallback, summary }: Parameter<unknown>, shapes: Shapes): Json {
  const schema = { ...(shapes.refer(type.schema) as Json), ...(fallback === undefined ? {} : { default: fallback }) };
  const kind = (type.schema as { type?: string }).type;
  return {
    name: kind === 'array' ? `${name}[]` : name,
    in: 'query',
    required: presence === 'required',
    ...(summary === undefined ? {} : { description: summary }),
    ...(kind === 'object' ? { style: 'deepObject', explode: true } : {}),
    schema,
  };
}

function requestBody(endpoint: Endpoint, declared: [string, Parameter<unknown>][], shapes: Shapes): Json {
  if (endpoint.body === 'raw') return { requestBody: { content: { '*/*': { schema: {} } } } };
  if (declared.length === 0) return {};
  const schema = shapes.refer(parametersSchema(Object.fromEntries(declared)));
  const types = endpoint.body === 'json' ? ['application/json'] : BODY_TYPES;
  const names = new Set(declared.map(([name]) => name));
  const required =
    declared.some(([, { presence }]) => presence === 'required') ||
    endpoint.rules.some(({ requiresOneOf }) => requiresOneOf?.every((name) => names.has(name)));
  return { requestBody: { required, content: Object.fromEntries(types.map((type) => [type, { schema }])) } };
}

const BODY_TYPES = ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data'];

function responses(endpoint: Endpoint, shapes: Shapes): Json {
  const { access, method, response } = endpoint;
  const result: Record<string, Json> = {};
  for (const status of [response.status, ...(response.otherStatuses ?? [])])
    result[status] = successResponse(status === 204 ? NO_BODY : response, shapes);
  // Access to moved projects redirects reads and rejects writes.
  const { [isRead(endpoint) ? 'movedWrite' : 'movedRead']: _moved, ...accessErrors } = access.errors;
  for (const [status, codes] of byStatus({ ...accessErrors, ...endpoint.errors }))
    result[status] = errorResponse(status, codes);
  for (const [status, name] of commonErrors(endpoint)) result[status] ??= commonResponse(name);
  if (method !== 'HEAD') return result;
  return Object.fromEntries(Object.entries(result).map(([status, each]) => [status, withoutContent(each)]));
}

const NO_BODY: ResponseType = { kind: 'nothing', status: 204, schema: null };

/** Returns the response to HEAD, which has no body. */
function withoutContent(response: Json): Json {
  const { content: _content, $ref, ...rest } = response as { content?: unknown; $ref?: string };
  return $ref === undefined ? rest : { description: $ref.slice($ref.lastIndexOf('/') + 1) };
}

/** Returns the errors of the stages that the endpoint goes through, and of the throttles. */
function commonErrors(endpoint: Endpoint): readonly (readonly [status: number, name: string])[] {
  const { access, keyset, lastModified } = endpoint;
  const stages: readonly Stage[] = STAGE_ORDERS[endpoint.stageOrder];
  // A credential may be invalid or lack a scope, also where none is needed.
  const checksCaller = access.audience !== 'open' || stages.includes('credentials');
  const mayBeMissing = pathParameters(endpoint.path).length > 0 || access.isEnabled !== undefined;
  const readsBody = hasRequestBody(endpoint) && stages.includes('body') && endpoint.body === 'merged';
  const errors: [boolean, number, string][] = [
    [true, 400, 'InvalidParameters'],
    [checksCaller, 401, 'Unauthorized'],
    [checksCaller, 403, 'Forbidden'],
    [mayBeMissing, 404, 'NotFound'],
    [keyset !== undefined, 405, 'OrderNotAllowed'],
    [lastModified !== undefined, 412, 'PreconditionFailed'],
    [readsBody, 413, 'BodyTooLarge'],
    [readsBody, 415, 'UnsupportedMediaType'],
    [true, 429, 'TooManyRequests'],
  ];
  return errors.filter(([isPossible]) => isPossible).map(([, status, name]) => [status, name]);
}

const commonResponse = (name: string) => ({ $ref: `#/components/responses/${name}` });

function successResponse({ kind, schema, mediaTypes = [], headers = [] }: ResponseType, shapes: Shapes): Json {
  const content = (type: string, body: unknown) => ({ content: { [type]: { schema: body } } });
  switch (kind) {
    case 'nothing':
      return { description: 'Done' };
    case 'text':
      return { description: 'Text', ...content('text/plain', { type: 'string' }) };
    case 'redirect':
      return { description: 'See Location' };
    case 'html':
      return { description: 'A page', ...content('text/html', { type: 'string' }) };
    case 'stream': {
      const body = { schema: schema === null ? {} : shapes.refer(schema) };
      return {
        description: mediaTypes.length === 0 ? 'Done' : 'The content',
        ...(headers.length === 0 ? {} : { headers: textHeaders(headers) }),
        ...(mediaTypes.length === 0 ? {} : { content: Object.fromEntries(mediaTypes.map((type) => [type, body])) }),
      };
    }
    case 'page':
      return {
        description: 'One page of a list',
        headers: PAGE_HEADERS,
        ...content('application/json', shapes.refer(schema)),
      };
    default:
      return { description: 'Done', ...content('application/json', shapes.refer(schema)) };
  }
}

const PAGE_HEADERS = Object.fromEntries(
  ['Link', 'X-Page', 'X-Per-Page', 'X-Next-Page', 'X-Prev-Page', 'X-Total', 'X-Total-Pages'].map((name) => [
    name,
    { $ref: `#/components/headers/${name}` },
  ]),
);

const textHeaders = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, { schema: { type: 'string' } }]));

function byStatus(errors: Endpoint['errors']): Map<number, [string, ErrorEntry][]> {
  return Map.groupBy(Object.entries(errors), ([, [status]]) => status);
}

/** Returns the errors of one status from the endpoint's error table; `{name}` in them stands for a value. */
function errorResponse(status: number, codes: readonly [string, ErrorEntry][]): Json {
  const description = codes.map(([code]) => code).join(', ');
  if (status === 304) return { description };
  if (status === 301) return { description, headers: textHeaders(['Location']), content: PLAIN_TEXT };
  const examples = codes.map(([code, [, body]]) => [
    code,
    { value: typeof body === 'string' ? { message: body } : body },
  ]);
  return {
    description,
    content: {
      // Throttles answer in plain text (contract/conventions.md §8).
      ...(status === 429 ? PLAIN_TEXT : {}),
      'application/json': { schema: { $ref: '#/components/schemas/Refusal' }, examples: Object.fromEntries(examples) },
    },
  };
}

const PLAIN_TEXT = { 'text/plain': { schema: { type: 'string' } } };

function components(schemas: Json): Json {
  const answer = (description: string, value: Json) => ({
    description,
    content: {
      'application/json': { schema: { $ref: '#/components/schemas/Refusal' }, examples: { text: { value } } },
    },
  });
  return {
    headers: textHeaders(Object.keys(PAGE_HEADERS)),
    responses: {
      InvalidParameters: answer('A parameter is missing or invalid', { error: 'name is missing' }),
      Unauthorized: answer('No credential, or a bad one', { message: '401 Unauthorized' }),
      Forbidden: answer('Not allowed', { message: '403 Forbidden' }),
      NotFound: answer('Missing, or not for this caller', { message: '404 Not Found' }),
      OrderNotAllowed: answer('Keyset pagination in another order than offered', {
        error: 'Keyset pagination is not yet available for this type of request',
      }),
      PreconditionFailed: answer('Changed since', { message: '412 Precondition Failed' }),
      BodyTooLarge: answer('The body is too large', { message: '413 Request Entity Too Large' }),
      UnsupportedMediaType: answer('The body has another media type', {
        error: "The provided content-type 'text/plain' is not supported.",
      }),
      TooManyRequests: {
        description: 'Too many requests',
        headers: { 'Retry-After': { schema: { type: 'integer' } } },
        content: PLAIN_TEXT,
      },
    },
    schemas: { ...schemas, Refusal: ERROR_SCHEMA },
  };
}

const ERROR_SCHEMA = {
  type: 'object',
  properties: {
    message: {},
    error: { type: 'string' },
    error_description: { type: 'string' },
    scope: { type: 'string' },
  },
};

/** Collects schemas with a title as named components. */
class Shapes {
  readonly named: Record<string, unknown> = {};
  readonly #texts = new Map<string, string>();

  /** Returns the schema with every named schema replaced by a reference. */
  refer(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map((item) => this.refer(item));
    if (typeof schema !== 'object' || schema === null) return schema;
    const { title } = schema as { title?: unknown };
    if (typeof title !== 'string') return this.#inner(schema);
    this.#define(title, schema as TSchema);
    return { $ref: `#/components/schemas/${title}` };
  }

  #inner(schema: object): Json {
    const { items, additionalItems, ...rest } = schema as { items?: unknown; additionalItems?: unknown };
    if (!Array.isArray(items)) return this.#values(schema);
    // A tuple has these keywords instead since JSON Schema 2020-12.
    return this.#values({ ...rest, prefixItems: items, items: additionalItems ?? true });
  }

  #values(schema: object): Json {
    return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, this.refer(value)]));
  }

  #define(title: string, schema: TSchema): void {
    const text = JSON.stringify(schema);
    const known = this.#texts.get(title);
    if (known !== undefined && known !== text) throw new Error(`Two different shapes have the name ${title}`);
    if (known !== undefined) return;
    this.#texts.set(title, text);
    const { title: _title, ...rest } = schema as TSchema & { title?: string };
    this.named[title] = this.#inner(rest);
  }
}
