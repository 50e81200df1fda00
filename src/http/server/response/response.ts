import { hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Endpoint } from '#http/endpoint/endpoint.ts';
import {
  type HtmlReply,
  type RedirectReply,
  Reply,
  type ResponseType,
  type StreamReply,
} from '#http/endpoint/responses.ts';
import type { HttpError } from '#http/errors/http-error.ts';
import type { Page } from '#http/lists/page.ts';
import { type PageRequest, pageHeaders } from '#http/lists/pagination.ts';
import type { Raw } from '#http/parameters/brackets.ts';
import { type Incoming, single } from '#http/request/incoming.ts';
import { jsonOf, type LongJson } from './json-stream.ts';

/** A finished answer, ready for the transport. */
export interface Outgoing {
  readonly status: number;
  readonly headers: Record<string, string | readonly string[]>;
  readonly body?: Readable | Uint8Array | string;
}

const JSON_TYPE = { 'Content-Type': 'application/json' } as const;

export function refusalReply(refusal: HttpError): Outgoing {
  // A 304 tells nothing but its status.
  if (refusal.status === 304) return { status: 304, headers: { 'Cache-Control': 'no-cache', ...refusal.headers } };
  const plain = typeof refusal.body === 'string';
  return {
    status: refusal.status,
    headers: {
      'Content-Type': plain ? 'text/plain' : 'application/json',
      'Cache-Control': 'no-cache',
      ...refusal.headers,
    },
    body: plain ? (refusal.body as string) : JSON.stringify(refusal.body),
  };
}

export interface ReplyFacts {
  readonly endpoint: Endpoint;
  readonly request: Incoming;
  readonly page: PageRequest;
  readonly given: Raw;
}

/** Turns what the handler handed over into the declared answer. */
export async function successReply(result: unknown, facts: ReplyFacts): Promise<Outgoing> {
  const wrapped = result instanceof Reply ? result : null;
  const value = wrapped ? wrapped.value : result;
  const { response: answer } = facts.endpoint;
  const outgoing = await build(answer, value, facts, wrapped?.status ?? answer.status);
  return wrapped ? { ...outgoing, headers: { ...outgoing.headers, ...wrapped.headers } } : outgoing;
}

function build(answer: ResponseType, value: unknown, facts: ReplyFacts, status: number): Outgoing | Promise<Outgoing> {
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
      const page = value as Page<unknown>;
      const headers = pageHeaders(page, facts.page, facts.request, facts.given);
      return json(page.items, status, facts.request, headers);
    }
    default:
      return json(
        value === undefined && status === 202 ? { message: '202 Accepted' } : value,
        status,
        facts.request,
        {},
      );
  }
}

/** A page says its own status when it is not 200: an endpoint that redirects shows one when it can't. */
function pageOrRedirect(reply: HtmlReply | RedirectReply): Outgoing {
  const general = { 'Cache-Control': 'no-cache', ...reply.headers };
  if ('location' in reply) return { status: 302, headers: { ...general, Location: reply.location } };
  return {
    status: reply.status ?? 200,
    headers: { 'Content-Type': 'text/html; charset=utf-8', ...general },
    body: reply.body,
  };
}

/** JSON; 200s to GET and HEAD carry a weak ETag, and answer 304 to a request that knows it (contract/conventions.md §4). */
export function json(
  value: unknown,
  status: number,
  request: Incoming,
  headers: Record<string, string>,
): Outgoing | Promise<Outgoing> {
  // A string goes out together with its headers in one write; bytes would take two.
  const body = jsonOf(value);
  if (status !== 200 || (request.method !== 'GET' && request.method !== 'HEAD')) {
    const sent = typeof body === 'string' ? body : body.stream();
    return { status, headers: { ...JSON_TYPE, 'Cache-Control': 'no-cache', ...headers }, body: sent };
  }
  if (typeof body !== 'string') return longJson(body, headers);
  const described = { ...describing(hash('sha1', body, 'hex')), 'Content-Length': String(Buffer.byteLength(body)) };
  return { status, headers: { ...JSON_TYPE, ...described, ...headers }, body };
}

/** Its length is told by nobody: it is made once more while it is sent. */
async function longJson(body: LongJson, headers: Record<string, string>): Promise<Outgoing> {
  return { status: 200, headers: { ...JSON_TYPE, ...describing(await body.hash()), ...headers }, body: body.stream() };
}

/** The headers of a body that may be kept and asked for again. */
function describing(hash: string) {
  return { ETag: `W/"${hash}"`, 'Cache-Control': 'max-age=0, private, must-revalidate' };
}

/** 304 without a body to a request that knows this JSON already. Raw files answer for themselves (contract/repository.md §0). */
export function unlessKnown(request: Incoming, outgoing: Outgoing): Outgoing {
  const asked = single(request.headers['if-none-match']);
  const { 'Content-Type': type, 'Content-Length': _length, ...headers } = outgoing.headers;
  if (asked === undefined || type !== 'application/json' || typeof headers.ETag !== 'string') return outgoing;
  return knows(asked, headers.ETag) ? { status: 304, headers } : outgoing;
}

function knows(header: string, etag: string): boolean {
  const opaque = etag.slice(2);
  return header.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === opaque);
}
