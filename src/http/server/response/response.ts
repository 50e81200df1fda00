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
import { type HttpError, preconditionFailed, unavailable } from '#http/errors/http-error.ts';
import { createPageHeaders, type ListPage, type PageRequest } from '#http/lists/pagination.ts';
import type { RawParameters } from '#http/parameters/brackets.ts';
import { parseDateTime } from '#http/parameters/types.ts';
import { firstHeader, type IncomingRequest } from '#http/request/incoming.ts';
import { createSharedBudget } from '#rate-limits/shared-budget.ts';
import type { RequestClient } from '#runtime/concurrency-limiter.ts';
import { estimateHeapSize } from '#runtime/heap-size.ts';
import { type LongJson, toJson } from './json-stream.ts';

/** A complete response, ready to be sent. */
export interface OutgoingResponse {
  readonly status: number;
  readonly headers: Record<string, string | readonly string[]>;
  readonly body?: Readable | Uint8Array | string | undefined;
  /** Heap size in bytes of the values from which a stream is built. */
  readonly heapSize?: number;
}

const JSON_TYPE = { 'Content-Type': 'application/json' } as const;

export function toErrorResponse(error: HttpError): OutgoingResponse {
  // A 304 has no body.
  if (error.status === 304) return { status: 304, headers: { 'Cache-Control': 'no-cache', ...error.headers } };
  return {
    status: error.status,
    headers: {
      'Content-Type': typeof error.body === 'string' ? 'text/plain' : 'application/json',
      'Cache-Control': 'no-cache',
      ...error.headers,
    },
    body: typeof error.body === 'string' ? error.body : JSON.stringify(error.body),
  };
}

/** The request data that the response depends on. */
export interface ResponseInput {
  readonly endpoint: Endpoint;
  readonly request: IncomingRequest;
  readonly page: PageRequest;
  readonly rawParams: RawParameters;
}

/** Builds the declared response from the serialized result of the handler. */
export async function toSuccessResponse(result: unknown, input: ResponseInput): Promise<OutgoingResponse> {
  const reply = result instanceof Reply ? result : null;
  const value = reply ? reply.value : result;
  const { response: responseType } = input.endpoint;
  const outgoing = await buildResponse(responseType, value, input, reply?.status ?? responseType.status);
  return reply ? { ...outgoing, headers: { ...outgoing.headers, ...reply.headers } } : outgoing;
}

function buildResponse(
  responseType: ResponseType,
  value: unknown,
  input: ResponseInput,
  status: number,
): OutgoingResponse | Promise<OutgoingResponse> {
  switch (responseType.kind) {
    case 'nothing':
      return { status, headers: { 'Cache-Control': 'no-cache' } };
    case 'stream': {
      const reply = value as StreamReply;
      return { status: reply.status ?? status, headers: { ...reply.headers }, body: reply.body };
    }
    case 'html':
    case 'redirect':
      return toHtmlOrRedirect(value as HtmlReply | RedirectReply);
    case 'text':
      return {
        status,
        headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-cache' },
        body: String(value),
      };
    case 'page': {
      const page = value as ListPage<unknown>;
      const headers = createPageHeaders(page, input.page, input.request, input.rawParams);
      return serializeToResponse(page.items, status, input.request, headers);
    }
    default:
      // Handlers of endpoints with the response `accepted` return nothing.
      return serializeToResponse(
        value === undefined && status === 202 ? { message: '202 Accepted' } : value,
        status,
        input.request,
        {},
      );
  }
}

/** Returns a redirect or an HTML page. A page may set another status, for example if an endpoint cannot redirect. */
function toHtmlOrRedirect(reply: HtmlReply | RedirectReply): OutgoingResponse {
  const baseHeaders = { 'Cache-Control': 'no-cache', ...reply.headers };
  if ('location' in reply) return { status: 302, headers: { ...baseHeaders, Location: reply.location } };
  return {
    status: reply.status ?? 200,
    headers: { 'Content-Type': 'text/html; charset=utf-8', ...baseHeaders },
    body: reply.body,
  };
}

/** Returns a JSON response. A 200 to GET or HEAD has a weak ETag (contract/conventions.md §4). */
export function serializeToResponse(
  value: unknown,
  status: number,
  request: IncomingRequest,
  headers: Record<string, string>,
): OutgoingResponse | Promise<OutgoingResponse> {
  const body = toJson(value);
  return body instanceof Promise
    ? body.then((json) => createResponseFromJson(json, status, request, headers))
    : createResponseFromJson(body, status, request, headers);
}

function createResponseFromJson(
  body: string | LongJson,
  status: number,
  request: IncomingRequest,
  headers: Record<string, string>,
): OutgoingResponse | Promise<OutgoingResponse> {
  // A string is sent together with its headers in one write; bytes would need two.
  if (status !== 200 || (request.method !== 'GET' && request.method !== 'HEAD')) {
    const uncached = { status, headers: { ...JSON_TYPE, 'Cache-Control': 'no-cache', ...headers } };
    return typeof body === 'string'
      ? { ...uncached, body }
      : { ...uncached, body: body.stream(), heapSize: body.heapSize };
  }
  if (typeof body !== 'string') return createLongJsonResponse(body, request, headers);
  const bodyHeaders = {
    ...createCacheHeaders(hash('sha1', body, 'hex')),
    'Content-Length': String(Buffer.byteLength(body)),
  };
  return { status, headers: { ...JSON_TYPE, ...bodyHeaders, ...headers }, body };
}

/** Returns a JSON response without Content-Length; its body is built again while it is sent. */
async function createLongJsonResponse(
  body: LongJson,
  { client }: IncomingRequest,
  headers: Record<string, string>,
): Promise<OutgoingResponse> {
  const { heapSize } = body;
  // Other requests run while the hash is computed, so all memory is reserved before. A client over its limit could not
  // reserve more later.
  if (!reserveResponseMemory(client, measureStream(heapSize))) {
    body.discard();
    throw unavailable(RESPONSE_RETRY_AFTER_SECONDS);
  }
  return {
    status: 200,
    headers: { ...JSON_TYPE, ...createCacheHeaders(await body.hash()), ...headers },
    body: body.stream(),
    heapSize,
  };
}

/** Returns the headers of a body that clients may cache and revalidate. */
function createCacheHeaders(hash: string) {
  return { ETag: `W/"${hash}"`, 'Cache-Control': 'max-age=0, private, must-revalidate' };
}

/**
 * Returns 304 if `If-None-Match` has the ETag of this JSON; otherwise the response itself. Raw files do this
 * themselves.
 */
export function applyIfNoneMatch(request: IncomingRequest, outgoing: OutgoingResponse): OutgoingResponse {
  const ifNoneMatch = firstHeader(request.headers['if-none-match']);
  const { 'Content-Type': type, 'Content-Length': _length, ...headers } = outgoing.headers;
  if (ifNoneMatch === undefined || type !== 'application/json' || typeof headers.ETag !== 'string') return outgoing;
  if (!matchesEtag(ifNoneMatch, headers.ETag)) return outgoing;
  discardBody(outgoing);
  return { status: 304, headers };
}

/** Destroys the stream of a response that is not sent. */
export function discardBody({ body }: OutgoingResponse): void {
  if (body instanceof Readable) body.destroy();
}

function matchesEtag(header: string, etag: string): boolean {
  const opaqueTag = etag.slice(2);
  return header.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === opaqueTag);
}

/**
 * Throws 412 for a resource that changed after `If-Unmodified-Since` (contract/conventions.md §5). Ignores invalid
 * dates.
 */
export function checkPrecondition(header: string, updatedAt: string | null): void {
  const unmodifiedSince = parseHttpDate(header.trim());
  if (unmodifiedSince !== null && updatedAt !== null && Date.parse(updatedAt) > unmodifiedSince)
    throw preconditionFailed();
}

/** Returns the Unix time in milliseconds of an HTTP or ISO date, or null if it is invalid. */
function parseHttpDate(text: string): number | null {
  const iso = parseDateTime(text);
  if (iso !== null) return Date.parse(iso);
  if (!/^[A-Z][a-z]{2,8},? .* GMT$/.test(text)) return null;
  const time = Date.parse(text);
  return Number.isNaN(time) ? null : time;
}

const KIBIBYTE = 1024;
const MEBIBYTE = 1024 * KIBIBYTE;

/** Limits of the bytes of unsent responses in memory, so that clients that do not read cannot exhaust it. */
const memory = createSharedBudget({
  perNetwork: 24 * MEBIBYTE,
  total: 48 * MEBIBYTE,
  extraForSmallHolders: 16 * MEBIBYTE,
});

/** Minimum size of a response whose memory is counted. */
const MIN_COUNTED_BYTES = 16 * KIBIBYTE;

/** Buffer memory of a streamed response: the buffers of its source and of its connection. */
const STREAM_BYTES = 128 * KIBIBYTE;

/** Retry-After in seconds; until then clients that do not read are disconnected. */
export const RESPONSE_RETRY_AFTER_SECONDS = 10;

/** Reserves the memory of a response until it is sent; returns false if unsent responses use too much. */
export function reserveResponseMemory(client: RequestClient, bytes: number): boolean {
  return bytes < MIN_COUNTED_BYTES || memory.reserve(client, bytes);
}

/** Releases the memory of a response that is sent or given up. */
export function releaseResponseMemory(client: RequestClient): void {
  memory.release(client);
}

/** Returns whether there is memory for a response of ordinary length. */
export function hasResponseMemory(client: RequestClient): boolean {
  return memory.isAvailable(client, MEBIBYTE);
}

/** Returns the memory in bytes of a response that is built from values of this size while it is sent. */
function measureStream(heapSize: number): number {
  return heapSize + STREAM_BYTES;
}

/** Returns the memory in bytes that a response uses until it is sent; 0 for a small one. */
export function measureResponse({ body, heapSize = 0 }: Pick<OutgoingResponse, 'body' | 'heapSize'>): number {
  if (body instanceof Readable) return measureStream(heapSize);
  return body === undefined || body.length < MIN_COUNTED_BYTES ? 0 : estimateHeapSize(body);
}
