import type { TSchema } from 'typebox';
import { SCOPE_DESCRIPTIONS } from '#authentication/tokens/access-tokens.ts';
import type { Endpoint } from '../endpoint/endpoint.ts';
import type { ResponseType } from '../endpoint/responses.ts';
import { STAGE_ORDERS, type Stage } from '../endpoint/stages.ts';
import type { ErrorEntry } from '../errors/error-messages.ts';
import { type Parameter, parametersSchema } from '../parameters/declarations.ts';
import { string } from '../parameters/texts.ts';
import { SESSION_COOKIE } from '../request/cookie.ts';
import { getDeclaredParameters } from '../server/pipeline/handle.ts';
import { getFullPath, parsePathParameters, replaceParameters } from '../server/routing/paths.ts';
import type { Registry } from '../server/routing/registry.ts';
import type { ApiDocument, ApiServer, Json } from '../services.ts';

/** Builds the OpenAPI 3.1 document of the routes below /api/v4 from the endpoints (contract/conventions.md §10). */

type ServerlessDocument = Omit<ApiDocument, 'servers' | 'info'>;

const documents = new WeakMap<Registry, ServerlessDocument>();

/** Returns the OpenAPI document. Everything except URL and version is built at the first call and cached. */
export function buildOpenApiDocument(registry: Registry, { url, version }: ApiServer): ApiDocument {
  const document = documents.get(registry) ?? buildDocument(registry);
  documents.set(registry, document);
  const { openapi, ...rest } = document;
  const info = { title: 'Hearth', version, description: 'The v4 REST API of this server.' };
  const components = { securitySchemes: createSecuritySchemes(url), ...rest.components };
  return { openapi, info, servers: [{ url }], ...rest, components };
}

function buildDocument(registry: Registry): ServerlessDocument {
  const endpoints = registry.endpoints.filter(({ outsideApi: root }) => !root);
  const schemas = new SchemaCollector();
  const paths: Record<string, Record<string, Json>> = {};
  const templatesByPattern = new Map<string, string>();
  for (const endpoint of endpoints) {
    // OpenAPI allows one parameter name per path position; the first endpoint determines it.
    const pathPattern = replaceParameters(getFullPath(endpoint), () => '{}');
    const template =
      templatesByPattern.get(pathPattern) ?? replaceParameters(getFullPath(endpoint), ({ name }) => `{${name}}`);
    templatesByPattern.set(pathPattern, template);
    const pathItem = (paths[template] ??= {});
    pathItem[endpoint.method.toLowerCase()] = createOperation(endpoint, template, schemas);
  }
  const tags = [...new Set(endpoints.map(getTag))].map((name) => ({ name }));
  return { openapi: '3.1.0', tags, paths, components: createComponents(schemas.components) };
}

const getTag = ({ folder }: Endpoint) => folder.split('/').at(-1) ?? '';

function createOperation(endpoint: Endpoint, template: string, schemas: SchemaCollector): Json {
  const { name, summary, description, access, stageOrder, activity, source } = endpoint;
  return {
    operationId: name,
    summary,
    ...(description === '' ? {} : { description }),
    tags: [getTag(endpoint)],
    ...createParameters(endpoint, template, schemas),
    responses: createResponses(endpoint, schemas),
    security: SECURITY[access.audience],
    'x-access': access.label,
    ...(stageOrder === 'standard' ? {} : { 'x-order': stageOrder }),
    ...(activity.length > 0 ? { 'x-records': activity } : {}),
    'x-source': source,
  };
}

const SIGNED_IN = [{ privateToken: [] }, { bearer: [] }, { oauth2: [] }, { session: [] }];
const SECURITY: Readonly<Record<Endpoint['access']['audience'], readonly Json[]>> = {
  // {}: without credentials.
  open: [{}, ...SIGNED_IN],
  user: SIGNED_IN,
  admin: SIGNED_IN,
  // The credential is no API credential, such as a job token in a parameter.
  tokenHolder: [],
};

/** The authentication schemes (contract/conventions.md §7); each operation lists those that it accepts. */
function createSecuritySchemes(url: string): Json {
  const token = { tokenUrl: `${url}/oauth/token`, refreshUrl: `${url}/oauth/token`, scopes: SCOPE_DESCRIPTIONS };
  const authorizationCode = { authorizationUrl: `${url}/oauth/authorize`, ...token };
  return {
    privateToken: { type: 'apiKey', in: 'header', name: 'PRIVATE-TOKEN' },
    bearer: { type: 'http', scheme: 'bearer' },
    oauth2: { type: 'oauth2', flows: { authorizationCode, password: token } },
    session: { type: 'apiKey', in: 'cookie', name: SESSION_COOKIE },
  };
}

function createParameters(endpoint: Endpoint, template: string, schemas: SchemaCollector): Json {
  const parsedParameters = parsePathParameters(getFullPath(endpoint));
  const templateNames = [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  const pathParameters = parsedParameters.map(({ name, pattern }, index) => {
    const declaredSchema = endpoint.params[name]?.type.schema ?? string.schema;
    const schema = schemas.toReference(
      pattern === undefined ? declaredSchema : { ...declaredSchema, ...string.schema, pattern },
    );
    return { name: templateNames[index] ?? name, in: 'path', required: true, schema };
  });
  const otherParameters = Object.entries(getDeclaredParameters(endpoint)).filter(
    ([name]) => !parsedParameters.some((parameter) => parameter.name === name),
  );
  const bodyParameters = endpoint.body === 'deferred' ? Object.entries(endpoint.fields) : otherParameters;
  if (hasRequestBody(endpoint))
    return { parameters: pathParameters, ...createRequestBody(endpoint, bodyParameters, schemas) };
  return {
    parameters: [
      ...pathParameters,
      ...otherParameters.map(([name, parameter]) => createQueryParameter(name, parameter, schemas)),
    ],
  };
}

const isRead = ({ method }: Endpoint) => method === 'GET' || method === 'HEAD';
const hasRequestBody = ({ method }: Endpoint) => method === 'POST' || method === 'PUT' || method === 'PATCH';

function createQueryParameter(
  name: string,
  { type, presence, defaultValue: fallback, description }: Parameter<unknown>,
  schemas: SchemaCollector,
): Json {
  const schema = {
    ...(schemas.toReference(type.schema) as Json),
    ...(fallback === undefined ? {} : { default: fallback }),
  };
  const schemaType = (type.schema as { type?: string }).type;
  return {
    name: schemaType === 'array' ? `${name}[]` : name,
    in: 'query',
    required: presence === 'required',
    ...(description === undefined ? {} : { description }),
    ...(schemaType === 'object' ? { style: 'deepObject', explode: true } : {}),
    schema,
  };
}

function createRequestBody(
  endpoint: Endpoint,
  declared: [string, Parameter<unknown>][],
  schemas: SchemaCollector,
): Json {
  if (endpoint.body === 'raw') return { requestBody: { content: { '*/*': { schema: {} } } } };
  if (declared.length === 0) return {};
  const schema = schemas.toReference(parametersSchema(Object.fromEntries(declared)));
  const mediaTypes = endpoint.body === 'json' ? ['application/json'] : BODY_TYPES;
  const names = new Set(declared.map(([name]) => name));
  // A rule such as `atLeastOne` requires a body only if no parameter outside the body can satisfy it.
  const required =
    declared.some(([, { presence }]) => presence === 'required') ||
    endpoint.rules.some(({ requiresOneOf }) => requiresOneOf?.every((name) => names.has(name)));
  return { requestBody: { required, content: Object.fromEntries(mediaTypes.map((type) => [type, { schema }])) } };
}

const BODY_TYPES = ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data'];

function createResponses(endpoint: Endpoint, schemas: SchemaCollector): Json {
  const { access, method, response } = endpoint;
  const responses: Record<string, Json> = {};
  for (const status of [response.status, ...(response.otherStatuses ?? [])])
    responses[status] = createSuccessResponse(status === 204 ? NO_BODY : response, schemas);
  // At the old path of a moved project reads are redirected and writes are rejected: each method has one of the two errors.
  const { [isRead(endpoint) ? 'movedWrite' : 'movedRead']: _moved, ...accessErrors } = access.errors;
  for (const [status, codes] of Map.groupBy(
    Object.entries({ ...accessErrors, ...endpoint.errors }),
    ([, [status]]) => status,
  ))
    responses[status] = createErrorResponse(status, codes);
  for (const [status, name] of listCommonErrors(endpoint))
    responses[status] ??= { $ref: `#/components/responses/${name}` };
  if (method !== 'HEAD') return responses;
  return Object.fromEntries(Object.entries(responses).map(([status, response]) => [status, withoutContent(response)]));
}

const NO_BODY: ResponseType = { kind: 'nothing', status: 204, schema: null };

/**
 * Returns the response to HEAD, which has no body. A reference cannot leave out the body of its target, so only the name of
 * the shared response remains, as the description.
 */
function withoutContent(response: Json): Json {
  const { content: _content, $ref, ...rest } = response as { content?: unknown; $ref?: string };
  return $ref === undefined ? rest : { description: $ref.slice($ref.lastIndexOf('/') + 1) };
}

/** Returns status and shared response of the errors that the endpoint's stages and the throttles may cause. */
function listCommonErrors(endpoint: Endpoint): readonly (readonly [status: number, name: string])[] {
  const { access, keyset, lastModified } = endpoint;
  const stages: readonly Stage[] = STAGE_ORDERS[endpoint.stageOrder];
  // A credential may be invalid or lack a scope, also for endpoints that require none.
  const checksCaller = access.audience !== 'open' || stages.includes('credentials');
  const mayBeMissing = parsePathParameters(endpoint.path).length > 0 || access.isEnabled !== undefined;
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

function createSuccessResponse(
  { kind, schema, mediaTypes = [], headers = [] }: ResponseType,
  schemas: SchemaCollector,
): Json {
  const createContent = (type: string, body: unknown) => ({ content: { [type]: { schema: body } } });
  switch (kind) {
    case 'nothing':
      return { description: 'Success' };
    case 'text':
      return { description: 'Plain text', ...createContent('text/plain', { type: 'string' }) };
    case 'redirect':
      return { description: 'Redirects to the URL in Location' };
    case 'html':
      return { description: 'An HTML page', ...createContent('text/html', { type: 'string' }) };
    case 'stream': {
      const body = { schema: schema === null ? {} : schemas.toReference(schema) };
      return {
        description: mediaTypes.length === 0 ? 'Success' : 'The content',
        ...(headers.length === 0 ? {} : { headers: createTextHeaders(headers) }),
        ...(mediaTypes.length === 0 ? {} : { content: Object.fromEntries(mediaTypes.map((type) => [type, body])) }),
      };
    }
    case 'page':
      return {
        description: 'One page of a list',
        headers: PAGE_HEADERS,
        ...createContent('application/json', schemas.toReference(schema)),
      };
    default:
      return { description: 'Success', ...createContent('application/json', schemas.toReference(schema)) };
  }
}

const PAGE_HEADERS = Object.fromEntries(
  ['Link', 'X-Page', 'X-Per-Page', 'X-Next-Page', 'X-Prev-Page', 'X-Total', 'X-Total-Pages'].map((name) => [
    name,
    { $ref: `#/components/headers/${name}` },
  ]),
);

const createTextHeaders = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, { schema: { type: 'string' } }]));

/** Returns the response for the endpoint's errors with one status; `{name}` in an example stands for a value. */
function createErrorResponse(status: number, errors: readonly [string, ErrorEntry][]): Json {
  const description = errors.map(([code]) => code).join(', ');
  if (status === 304) return { description };
  if (status === 301) return { description, headers: createTextHeaders(['Location']), content: PLAIN_TEXT };
  const examples = errors.map(([code, [, body]]) => [
    code,
    { value: typeof body === 'string' ? { message: body } : body },
  ]);
  return {
    description,
    content: {
      // Throttles answer in plain text (contract/conventions.md §8).
      ...(status === 429 ? PLAIN_TEXT : {}),
      'application/json': {
        schema: { $ref: '#/components/schemas/ErrorResponse' },
        examples: Object.fromEntries(examples),
      },
    },
  };
}

const PLAIN_TEXT = { 'text/plain': { schema: { type: 'string' } } };

function createComponents(schemas: Json): Json {
  const createJsonError = (description: string, value: Json) => ({
    description,
    content: {
      'application/json': { schema: { $ref: '#/components/schemas/ErrorResponse' }, examples: { text: { value } } },
    },
  });
  return {
    headers: createTextHeaders(Object.keys(PAGE_HEADERS)),
    responses: {
      InvalidParameters: createJsonError('A parameter is missing or invalid', { error: 'name is missing' }),
      Unauthorized: createJsonError('The credential is missing or invalid', { message: '401 Unauthorized' }),
      Forbidden: createJsonError('The caller is not allowed to do this', { message: '403 Forbidden' }),
      NotFound: createJsonError('The resource does not exist, or the caller cannot see it', {
        message: '404 Not Found',
      }),
      OrderNotAllowed: createJsonError('The list does not support keyset pagination in this order', {
        error: 'Keyset pagination is not yet available for this type of request',
      }),
      PreconditionFailed: createJsonError('The resource has changed since the time in If-Unmodified-Since', {
        message: '412 Precondition Failed',
      }),
      BodyTooLarge: createJsonError('The body is too large', { message: '413 Request Entity Too Large' }),
      UnsupportedMediaType: createJsonError('The media type of the body is not supported', {
        error: "The provided content-type 'text/plain' is not supported.",
      }),
      TooManyRequests: {
        description: 'Too many requests',
        headers: { 'Retry-After': { schema: { type: 'integer' } } },
        content: PLAIN_TEXT,
      },
    },
    schemas: { ...schemas, ErrorResponse: ERROR_SCHEMA },
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

/** Collects the schemas that have a title as components of the document. */
class SchemaCollector {
  readonly components: Record<string, unknown> = {};
  readonly #textsByTitle = new Map<string, string>();

  /** Returns the schema with every named schema replaced by a reference. */
  toReference(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map((item) => this.toReference(item));
    if (typeof schema !== 'object' || schema === null) return schema;
    const { title } = schema as { title?: unknown };
    if (typeof title !== 'string') return this.#replaceNested(schema);
    this.#define(title, schema as TSchema);
    return { $ref: `#/components/schemas/${title}` };
  }

  #replaceNested(schema: object): Json {
    const { items, additionalItems, ...rest } = schema as { items?: unknown; additionalItems?: unknown };
    if (!Array.isArray(items)) return this.#replaceValues(schema);
    // JSON Schema 2020-12 renamed the keywords of tuples.
    return this.#replaceValues({ ...rest, prefixItems: items, items: additionalItems ?? true });
  }

  #replaceValues(schema: object): Json {
    return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, this.toReference(value)]));
  }

  #define(title: string, schema: TSchema): void {
    const text = JSON.stringify(schema);
    const existingText = this.#textsByTitle.get(title);
    if (existingText !== undefined && existingText !== text)
      throw new Error(`Two different shapes have the name ${title}`);
    if (existingText !== undefined) return;
    this.#textsByTitle.set(title, text);
    const { title: _title, ...rest } = schema as TSchema & { title?: string };
    this.components[title] = this.#replaceNested(rest);
  }
}
