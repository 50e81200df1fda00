import { STATUS_CODES } from '#runtime/node-http.ts';
import type { Endpoint } from '../endpoint/endpoint.ts';
import type { ResponseType } from '../endpoint/responses.ts';
import { STAGE_ORDERS, type Stage } from '../endpoint/stages.ts';
import type { ErrorEntry } from '../errors/error-messages.ts';
import { parsePathParameters } from '../server/routing/paths.ts';
import type { Json } from '../services.ts';
import type { SchemaCollector } from './schema-collector.ts';

/** The responses of operations in the OpenAPI document: the one of success, and errors with their texts. */

export const isRead = ({ method }: Endpoint): boolean => method === 'GET' || method === 'HEAD';
export const hasRequestBody = ({ method }: Endpoint): boolean =>
  method === 'POST' || method === 'PUT' || method === 'PATCH';

/** Returns the responses of the endpoint. `examples`: the examples of its JSON response. */
export function createResponses(endpoint: Endpoint, schemas: SchemaCollector, examples: Json | undefined): Json {
  const { access, method, response } = endpoint;
  const responses: Record<string, Json> = {};
  for (const status of [response.status, ...(response.otherStatuses ?? [])])
    responses[status] = createSuccessResponse(status === 204 ? NO_BODY : response, schemas, examples);
  // At the old path of a moved project reads are redirected and writes are rejected: each method has one of the two errors.
  const { [isRead(endpoint) ? 'movedWrite' : 'movedRead']: _moved, ...accessErrors } = access.errors;
  const commonErrors = new Map(listCommonErrors(endpoint));
  for (const [status, errors] of Map.groupBy(
    Object.entries({ ...accessErrors, ...endpoint.errors }),
    ([, [status]]) => status,
  ))
    responses[status] = createErrorResponse(status, errors, commonErrors.get(status));
  for (const [status, name] of commonErrors) responses[status] ??= { $ref: `#/components/responses/${name}` };
  if (method !== 'HEAD') return responses;
  return Object.fromEntries(Object.entries(responses).map(([status, response]) => [status, withoutContent(response)]));
}

const NO_BODY: ResponseType = { kind: 'nothing', status: 204, schema: null };

/** Returns the response to HEAD, which has no body. A reference cannot leave out the body of its target. */
function withoutContent(response: Json): Json {
  const { content: _content, $ref, ...rest } = response as { content?: unknown; $ref?: string };
  if ($ref === undefined) return rest;
  const name = $ref.slice($ref.lastIndexOf('/') + 1) as CommonErrorName;
  return { description: COMMON_ERRORS[name] };
}

/** Returns status and shared response of the errors that the endpoint's stages and the throttles may cause. */
function listCommonErrors(endpoint: Endpoint): readonly (readonly [status: number, name: CommonErrorName])[] {
  const { access, keyset, lastModified } = endpoint;
  const stages: readonly Stage[] = STAGE_ORDERS[endpoint.stageOrder];
  // A credential may be invalid or lack a scope, also for endpoints that require none.
  const checksCaller = access.audience !== 'open' || stages.includes('credentials');
  const mayBeMissing = parsePathParameters(endpoint.path).length > 0 || access.isEnabled !== undefined;
  const readsBody = hasRequestBody(endpoint) && stages.includes('body') && endpoint.body === 'merged';
  const errors: [boolean, number, CommonErrorName][] = [
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
  { kind, status, schema, mediaTypes = [], headers = [] }: ResponseType,
  schemas: SchemaCollector,
  examples: Json | undefined,
): Json {
  const createContent = (type: string, body: unknown) => ({ content: { [type]: { schema: body } } });
  const createJsonContent = () => ({
    content: { 'application/json': { schema: schemas.toReference(schema), ...(examples && { examples }) } },
  });
  switch (kind) {
    case 'nothing':
      return { description: 'The request succeeded; the response has no body.' };
    case 'text':
      return { description: 'Plain text.', ...createContent('text/plain', { type: 'string' }) };
    case 'redirect':
      return { description: 'Redirects to the URL in `Location`.' };
    case 'html':
      return { description: 'An HTML page.', ...createContent('text/html', { type: 'string' }) };
    case 'stream': {
      const isJson = schema !== null && mediaTypes.includes('application/json');
      const body = {
        schema: schema === null ? {} : schemas.toReference(schema),
        ...(isJson && examples && { examples }),
      };
      return {
        description: mediaTypes.length === 0 ? 'The request succeeded; the response has no body.' : 'The content.',
        ...(headers.length === 0 ? {} : { headers: createTextHeaders(headers) }),
        ...(mediaTypes.length === 0 ? {} : { content: Object.fromEntries(mediaTypes.map((type) => [type, body])) }),
      };
    }
    case 'page':
      return { description: 'One page of the list.', headers: PAGE_HEADERS, ...createJsonContent() };
    case 'list':
      return { description: 'The whole list.', ...createJsonContent() };
    default:
      return { description: SUCCESS_DESCRIPTIONS[status] ?? 'The request succeeded.', ...createJsonContent() };
  }
}

const SUCCESS_DESCRIPTIONS: Readonly<Record<number, string>> = {
  201: 'Created.',
  202: 'Accepted: the work is done in the background.',
};

const PAGE_HEADER_DESCRIPTIONS = {
  Link: 'URLs of the first, previous, next and last page, as far as they exist.',
  'X-Page': 'The number of this page.',
  'X-Per-Page': 'The number of items per page.',
  'X-Next-Page': 'The number of the next page; empty on the last.',
  'X-Prev-Page': 'The number of the previous page; empty on the first.',
  'X-Total': 'The number of items on all pages; absent for more than 10,000.',
  'X-Total-Pages': 'The number of pages; absent for more than 10,000 items.',
};

const PAGE_HEADERS = Object.fromEntries(
  Object.keys(PAGE_HEADER_DESCRIPTIONS).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
);

const createTextHeaders = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, { schema: { type: 'string' } }]));

/** Errors of a status whose texts a description lists; the examples show all. */
const MAX_LISTED_TEXTS = 3;

/**
 * Returns the response for the endpoint's errors with one status, and the shared error of that status if it has one; `{name}` in
 * an example stands for a value.
 */
function createErrorResponse(
  status: number,
  errors: readonly [string, ErrorEntry][],
  commonError: CommonErrorName | undefined,
): Json {
  if (status === 304) return { description: 'The resource already has this state.' };
  if (status === 301)
    return {
      description: 'The project has moved to the URL in `Location`.',
      headers: createTextHeaders(['Location']),
      content: PLAIN_TEXT,
    };
  const examples = errors.map(([code, [, body]]) => [
    code,
    { value: typeof body === 'string' ? { message: body } : body },
  ]);
  const common = commonError === undefined || commonError === 'TooManyRequests' ? undefined : commonError;
  return {
    description: describeErrors(status, errors, common),
    content: {
      // Throttles answer in plain text (contract/conventions.md §8).
      ...(status === 429 ? PLAIN_TEXT : {}),
      'application/json': {
        schema: { $ref: '#/components/schemas/ErrorResponse' },
        examples: {
          ...Object.fromEntries(examples),
          ...(common && { [`common${common}`]: { $ref: `#/components/examples/${common}` } }),
        },
      },
    },
  };
}

const PLAIN_TEXT = { 'text/plain': { schema: { type: 'string' } } };

function describeErrors(
  status: number,
  errors: readonly [string, ErrorEntry][],
  common: CommonErrorName | undefined,
): string {
  const texts = [...new Set(errors.map(([, [, body]]) => findText(body)))].filter((text) => text !== '');
  const title = `${STATUS_CODES[status] ?? 'Error'}.`;
  const listedTexts = texts.slice(0, MAX_LISTED_TEXTS).map((text) => `\`${text.replaceAll('`', "'")}\``);
  const more = texts.length > MAX_LISTED_TEXTS ? ' and others' : '';
  const messages = listedTexts.length === 0 ? '' : ` Messages: ${listedTexts.join(', ')}${more}.`;
  return `${title}${messages}${common === undefined ? '' : ` Also: ${COMMON_ERRORS[common]}`}`;
}

/** Returns the first text in the body of an error, which is its message. */
function findText(body: unknown): string {
  if (typeof body === 'string') return body;
  if (typeof body !== 'object' || body === null) return '';
  for (const value of Object.values(body)) {
    const text = findText(value);
    if (text !== '') return text;
  }
  return '';
}

/** The errors that many operations share. */
const COMMON_ERRORS = {
  InvalidParameters: 'A parameter is missing or invalid.',
  Unauthorized: 'The credential is missing or invalid.',
  Forbidden: 'The caller is not allowed to do this.',
  NotFound: 'The resource does not exist, or the caller cannot see it.',
  OrderNotAllowed: 'The list does not support keyset pagination in this order.',
  PreconditionFailed: 'The resource has changed since the time in `If-Unmodified-Since`.',
  BodyTooLarge: 'The body is too large.',
  UnsupportedMediaType: 'The media type of the body is not supported.',
  TooManyRequests: 'Too many requests; `Retry-After` is the number of seconds until the next may be sent.',
} as const;

type CommonErrorName = keyof typeof COMMON_ERRORS;

const COMMON_ERROR_EXAMPLES: Readonly<Record<Exclude<CommonErrorName, 'TooManyRequests'>, Json>> = {
  InvalidParameters: { error: 'name is missing' },
  Unauthorized: { message: '401 Unauthorized' },
  Forbidden: { message: '403 Forbidden' },
  NotFound: { message: '404 Not Found' },
  OrderNotAllowed: { error: 'Keyset pagination is not yet available for this type of request' },
  PreconditionFailed: { message: '412 Precondition Failed' },
  BodyTooLarge: { message: '413 Request Entity Too Large' },
  UnsupportedMediaType: { error: "The provided content-type 'text/plain' is not supported." },
};

/** Returns the components that responses refer to. */
export function createResponseComponents(): { responses: Json; headers: Json; examples: Json; errorSchema: Json } {
  const names = Object.keys(COMMON_ERROR_EXAMPLES) as (keyof typeof COMMON_ERROR_EXAMPLES)[];
  const schema = { $ref: '#/components/schemas/ErrorResponse' };
  const jsonErrors = names.map((name) => [
    name,
    {
      description: COMMON_ERRORS[name],
      content: { 'application/json': { schema, examples: { text: { $ref: `#/components/examples/${name}` } } } },
    },
  ]);
  const tooManyRequests = {
    description: COMMON_ERRORS.TooManyRequests,
    headers: { 'Retry-After': { description: 'Seconds until the next request.', schema: { type: 'integer' } } },
    content: PLAIN_TEXT,
  };
  return {
    responses: { ...Object.fromEntries(jsonErrors), TooManyRequests: tooManyRequests },
    headers: Object.fromEntries(
      Object.entries(PAGE_HEADER_DESCRIPTIONS).map(([name, description]) => [
        name,
        { description, schema: { type: 'string' } },
      ]),
    ),
    examples: Object.fromEntries(names.map((name) => [name, { value: COMMON_ERROR_EXAMPLES[name] }])),
    errorSchema: ERROR_SCHEMA,
  };
}

const ERROR_SCHEMA = {
  type: 'object',
  description: 'An error: `message` for most, `error` for invalid parameters and credentials.',
  properties: {
    message: { description: 'A text, or the texts of validation errors by field.' },
    error: { type: 'string', description: 'What is wrong with the request, or an OAuth error code.' },
    error_description: { type: 'string', description: 'Explains an OAuth error code.' },
    scope: { type: 'string', description: 'The scopes of which the token needs one.' },
  },
  additionalProperties: true,
};
