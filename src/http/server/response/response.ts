import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Endpoint } from '#http/endpoint/endpoint.ts';
import {
  type HtmlReply,
  type RedirectReply,
  Reply,
  type ResponseType,
  type StreamReply,
} from '#http/endpoint/responses.ts';
import { type HttpError, unavailable } from '#http/errors/http-error.ts';
import type { ListPage } from '#http/lists/page.ts';
import { type PageRequest, pageHeaders } from '#http/lists/pagination.ts';
import type { RawParameters } from '#http/parameters/brackets.ts';
import { firstHeader, type IncomingRequest } from '#http/request/incoming.ts';
import { type LongJson, toJson } from './json-stream.ts';
import { measureStream, RESPONSE_RETRY_AFTER, reserveResponseMemory } from './response-memory.ts';

/** A complete response, ready to be sent. */
export interface OutgoingResponse {
  readonly status: number;
  readonly headers: Record<string, string | readonly string[]>;
  readonly body?: Readable | Uint8Array | string;
  /** The bytes of the values that a stream is built from. */
  readonly heapSize?: number;
}

const JSON_TYPE = { 'Content-Type': 'application/json' } as const;

export function toErrorResponse(error: HttpError): OutgoingResponse {
  // A 304 has no body.
  if (error.status === 304) return { status: 304, headers: { 'Cache-Control': 'no-cache', ...error.headers } };
  const plain = typeof error.body === 'string';
  return {
    status: error.status,
    headers: {
      'Content-Type': plain ? 'text/plain' : 'application/json',
      'Cache-Control': 'no-cache',
      ...error.headers,
    },
    body: plain ? (error.body as string) : JSON.stringify(error.body),
  };
}

export interface ResponseInput {
  readonly endpoint: Endpoint;
  readonly request: IncomingRequest;
  readonly page: PageRequest;
  readonly rawParams: RawParameters;
}

/** Builds the declared response from the serialized result of the handler. */
export async function toSuccessResponse(result: unknown, facts: ResponseInput): Promise<OutgoingResponse> {
  const wrapped = result instanceof Reply ? result : null;
  const value = wrapped ? wrapped.value : result;
  const { response: answer } = facts.endpoint;
  const outgoing = await buildResponse(answer, value, facts, wrapped?.status ?? answer.status);
  return wrapped ? { ...outgoing, headers: { ...outgoing.headers, ...wrapped.headers } } : outgoing;
}

function buildResponse(
  answer: ResponseType,
  value: unknown,
  facts: ResponseInput,
  status: number,
): OutgoingResponse | Promise<OutgoingResponse> {
  switch (answer.kind) {
    case 'nothing':
      return { status, headers: { 'Cache-Control': 'no-cache' } };
    case 'stream': {
      const reply = value as StreamReply;
      return { status: reply.status ?? status, headers: { ...reply.headers }, body: reply.body };
    }
    case 'html':
    case 'redirect':
      return pageOrRedirect(value as HtmlReply | RedirectReply);
    case 'text':
      return {
        status,
        headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-cache' },
        body: String(value),
      };
    case 'page': {
      const page = value as ListPage<unknown>;
      const headers = pageHeaders(page, facts.page, facts.request, facts.rawParams);
      return jsonResponse(page.items, status, facts.request, headers);
    }
    default:
      return jsonResponse(
        value === undefined && status === 202 ? { message: '202 Accepted' } : value,
        status,
        facts.request,
        {},
      );
  }
}

/** An HTML page may set another status: an endpoint that redirects shows a page if it cannot. */
function pageOrRedirect(reply: HtmlReply | RedirectReply): OutgoingResponse {
  const general = { 'Cache-Control': 'no-cache', ...reply.headers };
  if ('location' in reply) return { status: 302, headers: { ...general, Location: reply.location } };
  return {
    status: reply.status ?? 200,
    headers: { 'Content-Type': 'text/html; charset=utf-8', ...general },
    body: reply.body,
  };
}

/** Returns a JSON response. A 200 to GET or HEAD has a weak ETag (contract/conventions.md §4). */
export function jsonResponse(
  value: unknown,
  status: number,
  request: IncomingRequest,
  headers: Record<string, string>,
): OutgoingResponse | Promise<OutgoingResponse> {
  // A string is sent together with its headers in one write; bytes would need two.
  const body = toJson(value);
  if (status !== 200 || (request.method !== 'GET' && request.method !== 'HEAD')) {
    const general = { status, headers: { ...JSON_TYPE, 'Cache-Control': 'no-cache', ...headers } };
    return typeof body === 'string'
      ? { ...general, body }
      : { ...general, body: body.stream(), heapSize: body.heapSize };
  }
  if (typeof body !== 'string') return longJsonResponse(body, request, headers);
  const described = { ...cacheHeaders(hash('sha1', body, 'hex')), 'Content-Length': String(Buffer.byteLength(body)) };
  return { status, headers: { ...JSON_TYPE, ...described, ...headers }, body };
}

/** Without Content-Length: the body is built again while it is sent. */
async function longJsonResponse(
  body: LongJson,
  { client }: IncomingRequest,
  headers: Record<string, string>,
): Promise<OutgoingResponse> {
  const { heapSize } = body;
  // Other requests run while the hash is computed, so the memory is reserved before: all of it, because a response over the
  // limit gets nothing more later.
  if (!reserveResponseMemory(client, measureStream(heapSize))) {
    body.discard();
    throw unavailable(RESPONSE_RETRY_AFTER);
  }
  return {
    status: 200,
    headers: { ...JSON_TYPE, ...cacheHeaders(await body.hash()), ...headers },
    body: body.stream(),
    heapSize,
  };
}

/** Returns the headers of a body that clients may cache and revalidate. */
function cacheHeaders(hash: string) {
  return { ETag: `W/"${hash}"`, 'Cache-Control': 'max-age=0, private, must-revalidate' };
}

/** Returns 304 if the request has this JSON already. Raw files handle this themselves (contract/repository.md §0). */
export function orNotModified(request: IncomingRequest, outgoing: OutgoingResponse): OutgoingResponse {
  const ifNoneMatch = firstHeader(request.headers['if-none-match']);
  const { 'Content-Type': type, 'Content-Length': _length, ...headers } = outgoing.headers;
  if (ifNoneMatch === undefined || type !== 'application/json' || typeof headers.ETag !== 'string') return outgoing;
  if (!matchesEtag(ifNoneMatch, headers.ETag)) return outgoing;
  discardBody(outgoing);
  return { status: 304, headers };
}

/** Ends what a response holds that is not sent. */
export function discardBody({ body }: OutgoingResponse): void {
  if (body instanceof Readable) body.destroy();
}

function matchesEtag(header: string, etag: string): boolean {
  const opaque = etag.slice(2);
  return header.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === opaque);
}
