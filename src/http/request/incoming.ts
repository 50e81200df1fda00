import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';
import { type Cidr, isInCidrs, type Tier } from '#config.ts';
import { getClientNetwork } from '#rate-limits/concurrency-slots.ts';
import type { RequestClient } from '#runtime/concurrency-limiter.ts';
import { invalidText } from '../errors/http-error.ts';

/** A request, independent of the transport, with path and query not decoded. */
export interface IncomingRequest {
  readonly id: string;
  readonly method: string;
  /** Percent-encoded path; routes match it in this form. */
  readonly path: string;
  /** Query string without the question mark. */
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  readonly stream: IncomingMessage;
  /** The base of absolute URLs in the response, without a trailing slash. */
  readonly baseUrl: string;
  /** The client's address, after trusted proxies. */
  readonly clientAddress: string;
  /** Timeout in milliseconds while the body of the request or response is idle. */
  readonly idleTimeoutMs: number;
  /** The client; it is disconnected when its connection ends before the response is complete. */
  readonly client: RequestClient;
}

/** The settings that determine base URL and client address of a request. */
export interface Addressing {
  readonly externalUrl: string | null;
  readonly trustedProxies: readonly Cidr[];
}

/** Id, timeout and client of a request, which the transport sets. */
interface RequestConnection {
  /** The id of the request, for the log and X-Request-Id. */
  readonly id: string;
  readonly idleTimeoutMs: number;
  readonly client: RequestClient;
}

/** Converts a request of Node; `addressing` determines base URL and client address. */
export function toIncomingRequest(
  raw: IncomingMessage,
  { id, idleTimeoutMs: idleTimeout, client }: RequestConnection,
  addressing: Addressing,
): IncomingRequest {
  const url = escapeUnsafeCharacters(stripOrigin(raw.url ?? '/'));
  const queryIndex = url.indexOf('?');
  const path = stripPathPrefix(queryIndex === -1 ? url : url.slice(0, queryIndex), addressing.externalUrl);
  const query = queryIndex === -1 ? '' : url.slice(queryIndex + 1);
  const isTrusted = isInCidrs(addressing.trustedProxies, raw.socket.remoteAddress ?? '');
  return {
    id,
    method: raw.method ?? 'GET',
    path,
    query,
    headers: raw.headers,
    stream: raw,
    baseUrl: addressing.externalUrl ?? `${getScheme(raw, isTrusted)}://${raw.headers.host ?? 'localhost'}`,
    clientAddress: resolveClientAddress(raw, isTrusted, addressing.trustedProxies),
    idleTimeoutMs: idleTimeout,
    client,
  };
}

/** Returns the path of a request line that contains an absolute URL. */
function stripOrigin(url: string): string {
  return url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, '') || '/';
}

/** Escapes characters that would end the URL in a header. */
function escapeUnsafeCharacters(url: string): string {
  if (!/["<>#]/.test(url)) return url;
  return url.replace(/["<>#]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** Removes the path prefix of the external URL; proxies may or may not remove it themselves. */
function stripPathPrefix(rawPath: string, externalUrl: string | null): string {
  if (externalUrl === null) return rawPath;
  const path = rawPath.replace(/^\/{2,}/, '/');
  const prefix = new URL(externalUrl).pathname.replace(/\/$/, '');
  if (prefix === '') return path;
  // The address of the server itself may be written without its slash.
  if (path === prefix) return '/';
  return path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path;
}

function getScheme(raw: IncomingMessage, isTrusted: boolean): string {
  const forwarded = isTrusted ? firstHeader(raw.headers['x-forwarded-proto']) : undefined;
  return forwarded === 'https' || 'encrypted' in raw.socket ? 'https' : 'http';
}

/** Returns the network of the client that sent a request. */
export function resolveClientNetwork(raw: IncomingMessage, { trustedProxies }: Addressing): string {
  const isTrusted = isInCidrs(trustedProxies, raw.socket.remoteAddress ?? '');
  return getClientNetwork(resolveClientAddress(raw, isTrusted, trustedProxies));
}

/**
 * Returns the client address. Each proxy appends its client to X-Forwarded-For, so entries are followed from the end while they
 * are trusted. Anybody may have written the entries before an untrusted or invalid one.
 */
function resolveClientAddress(raw: IncomingMessage, isTrusted: boolean, proxies: readonly Cidr[]): string {
  let client = (raw.socket.remoteAddress ?? '').replace(/^::ffff:/, '');
  if (!isTrusted) return client;
  const hops = (firstHeader(raw.headers['x-forwarded-for']) ?? '').split(',').map(parseHop);
  for (const hop of hops.reverse()) {
    if (hop === null) break;
    client = hop;
    if (!isInCidrs(proxies, hop)) break;
  }
  return client;
}

/** Returns the canonical address without a port, or null if it is invalid. */
function parseHop(hop: string): string | null {
  const [, bracketed, dotted] = /^\[(.+)\](?::\d+)?$|^([\d.]+):\d+$/.exec(hop.trim()) ?? [];
  const address = bracketed ?? dotted ?? hop.trim();
  return ipaddr.isValid(address) ? ipaddr.process(address).toString() : null;
}

/** Returns the first value of a header that may occur several times. */
export function firstHeader(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}

/** Returns whether the client is a browser that opens a page: its `Accept` names `text/html`. */
export function acceptsHtml({ headers }: Pick<IncomingRequest, 'headers'>): boolean {
  return /(?:^|[,\s])text\/html(?:$|[;,\s])/i.test(headers.accept ?? '');
}

const CREDENTIAL_HEADERS = ['authorization', 'private-token', 'job-token', 'sudo', 'cookie'];
const UTF8_DECODER = new TextDecoder('utf-8', { fatal: true });

/** Throws 400 for NUL, invalid escapes and invalid UTF-8 in path, query and credential headers (stage 1). */
export function requireValidText(request: IncomingRequest): void {
  if (!isValidUrlText(request.path)) throw invalidText('path');
  if (!isValidUrlText(request.query)) throw invalidText(findInvalidParameter(request.query));
  for (const name of CREDENTIAL_HEADERS) {
    const value = firstHeader(request.headers[name]);
    if (value !== undefined && !isUtf8Header(value)) throw invalidText(name);
  }
}

/** Returns the name of the first parameter with an invalid value; `query` if the name is invalid too. */
function findInvalidParameter(query: string): string {
  const [name = ''] =
    query
      .split('&')
      .find((pair) => !isValidUrlText(pair))
      ?.split('=') ?? [];
  return (isValidUrlText(name) && decodeURIComponent(name.replaceAll('+', ' '))) || 'query';
}

/**
 * Returns whether the Host header is a name or address with an optional port; it becomes part of every absolute URL.
 * Only HTTP/1.0 clients may omit it.
 */
export function hasValidHost({ headers: { host }, stream }: IncomingRequest): boolean {
  if (host === undefined) return stream.httpVersion === '1.0';
  // 261: a name of 255 characters and `:65535`.
  const match = host.length <= 261 ? /^(?:[\w.-]+|\[[\da-f:.]+\])(?::(\d{1,5}))?$/i.exec(host) : null;
  if (match === null) return false;
  const port = Number(match[1] ?? 80);
  return port >= 1 && port <= 65_535;
}

/** Returns whether every escape is complete, valid UTF-8 and not NUL; raw non-ASCII bytes must be UTF-8 too. */
function isValidUrlText(text: string): boolean {
  if (!/[%\u0000\u0080-\uffff]/.test(text)) return true;
  if (text.includes('\u0000')) return false;
  if (/[\u0080-\uffff]/.test(text) && !isUtf8Header(text)) return false;
  try {
    return !decodeURIComponent(text).includes('\u0000');
  } catch {
    return false;
  }
}

/** Returns whether a header, which Node decodes as latin1, is valid UTF-8. */
function isUtf8Header(value: string): boolean {
  if (value.includes('\u0000')) return false;
  if (!/[\u0080-\uffff]/.test(value)) return true;
  try {
    UTF8_DECODER.decode(Buffer.from(value, 'latin1'));
    return true;
  } catch {
    return false;
  }
}

/** Data of the server that serialization uses. */
export interface ServerContext {
  /** The tier of this server (contract/conventions.md §11). */
  readonly tier: Tier;
  /** The base of absolute URLs, without a trailing slash. */
  readonly url: string;
  /** The name of this instance. */
  readonly instanceName: string;
  /** The name of this server among replication sites (contract/operations.md §3.1). */
  readonly siteName: string;
  /** The current time, ISO 8601. A response that uses it is not cached; for the date use `db.today`. */
  readonly now: string;
}

/** Returns the path of the server's URL without a trailing slash; usually empty. */
export function getPathPrefix(baseUrl: string): string {
  return URL.parse(baseUrl)?.pathname.replace(/\/$/, '') ?? '';
}

/** Returns the path of a page of this server for links, forms and redirects, independent of the host name. */
export function localUrl({ baseUrl }: { readonly baseUrl: string }, path: string): string {
  return getPathPrefix(baseUrl) + path;
}
