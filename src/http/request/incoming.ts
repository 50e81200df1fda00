import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';
import { type Cidr, inCidrs } from '#config.ts';
import type { Client } from '#runtime/concurrency-limiter.ts';
import { badRequestText } from '../errors/http-error.ts';

/** One request as the stages see it: nothing of the transport, nothing decoded that must stay raw. */
export interface Incoming {
  readonly id: string;
  readonly method: string;
  /** Still percent-encoded: routes match on it. */
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  readonly stream: IncomingMessage;
  /** Base of every absolute URL in the answer, without a slash at the end. */
  readonly baseUrl: string;
  /** The client's address, after trusted proxies. */
  readonly clientAddress: string;
  /** How long its body, or that of the answer, may stand still, in milliseconds. */
  readonly patience: number;
  /** The other end of the connection; it goes away when that ends before its answer is complete. */
  readonly client: Client;
}

export interface Addressing {
  readonly externalUrl: string | null;
  readonly trustedProxies: readonly Cidr[];
}

interface Exchange {
  readonly id: string;
  readonly patience: number;
  readonly client: Client;
}

export function incoming(raw: IncomingMessage, { id, patience, client }: Exchange, addressing: Addressing): Incoming {
  const url = escaped(originForm(raw.url ?? '/'));
  const mark = url.indexOf('?');
  const path = withoutPrefix(mark === -1 ? url : url.slice(0, mark), addressing.externalUrl);
  const query = mark === -1 ? '' : url.slice(mark + 1);
  const trusted = inCidrs(addressing.trustedProxies, raw.socket.remoteAddress ?? '');
  return {
    id,
    method: raw.method ?? 'GET',
    path,
    query,
    headers: raw.headers,
    stream: raw,
    baseUrl: addressing.externalUrl ?? `${scheme(raw, trusted)}://${raw.headers.host ?? 'localhost'}`,
    clientAddress: clientAddress(raw, trusted, addressing.trustedProxies),
    patience,
    client,
  };
}

/** A request line may name the whole URL; what counts is the path. */
function originForm(url: string): string {
  return url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, '') || '/';
}

/** What would end the URL in a header, as escapes: one form for every later stage. */
function escaped(url: string): string {
  if (!/["<>#]/.test(url)) return url;
  return url.replace(/["<>#]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** A path prefix of the external address is the proxy's business; requests may come with or without it. */
function withoutPrefix(path: string, externalUrl: string | null): string {
  if (externalUrl === null) return path;
  const prefix = new URL(externalUrl).pathname.replace(/\/$/, '');
  return prefix !== '' && path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path;
}

function scheme(raw: IncomingMessage, trusted: boolean): string {
  const forwarded = trusted ? single(raw.headers['x-forwarded-proto']) : undefined;
  return forwarded === 'https' || 'encrypted' in raw.socket ? 'https' : 'http';
}

/**
 * Each proxy adds at the end whom it was asked by, so that they are followed from there for as long as they are trusted.
 * What stands before, and before a word that is no address, anybody may have written.
 */
function clientAddress(raw: IncomingMessage, trusted: boolean, proxies: readonly Cidr[]): string {
  let client = plain(raw.socket.remoteAddress ?? '');
  if (!trusted) return client;
  const hops = (single(raw.headers['x-forwarded-for']) ?? '').split(',').map(addressIn);
  for (const hop of hops.reverse()) {
    if (hop === null) break;
    client = hop;
    if (!inCidrs(proxies, hop)) break;
  }
  return client;
}

/** The address in its one spelling, without the port that some proxies write behind it; null: it is none. */
function addressIn(hop: string): string | null {
  const [, bracketed, dotted] = /^\[(.+)\](?::\d+)?$|^([\d.]+):\d+$/.exec(hop.trim()) ?? [];
  const address = bracketed ?? dotted ?? hop.trim();
  return ipaddr.isValid(address) ? ipaddr.process(address).toString() : null;
}

/** IPv4 addresses that reach an IPv6 socket are shown as IPv4. */
function plain(address: string): string {
  return address.startsWith('::ffff:') ? address.slice(7) : address;
}

export function single(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}

const CREDENTIAL_HEADERS = ['authorization', 'private-token', 'job-token', 'sudo', 'cookie'];
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Stage 1: NUL, broken escapes and invalid UTF-8 in path, query and credential headers -> 400 as plain text. */
export function checkText(request: Incoming): void {
  if (!isClean(request.path) || !isClean(request.query)) throw badRequestText();
  for (const name of CREDENTIAL_HEADERS) {
    const value = single(request.headers[name]);
    if (value !== undefined && !isUtf8Header(value)) throw badRequestText();
  }
}

/**
 * Stage 1 for every request, answered by an endpoint or not: the Host is a name or an address, and maybe a port, for it
 * becomes part of every absolute URL. Only clients of HTTP/1.0 need send none.
 */
export function hasHost({ headers: { host }, stream }: Incoming): boolean {
  if (host === undefined) return stream.httpVersion === '1.0';
  return host.length <= 261 && /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i.test(host);
}

/** Every escape whole, UTF-8 and not NUL; raw bytes beyond ASCII must be UTF-8 too. */
function isClean(text: string): boolean {
  if (!/[%\u0000\u0080-\uffff]/.test(text)) return true;
  if (text.includes('\u0000')) return false;
  if (/[\u0080-\uffff]/.test(text) && !isUtf8Header(text)) return false;
  try {
    return !decodeURIComponent(text).includes('\u0000');
  } catch {
    return false;
  }
}

/** Node hands headers and URLs over as latin1, so the bytes are there to be looked at. */
function isUtf8Header(value: string): boolean {
  if (value.includes('\u0000')) return false;
  if (!/[\u0080-\uffff]/.test(value)) return true;
  try {
    utf8.decode(Buffer.from(value, 'latin1'));
    return true;
  } catch {
    return false;
  }
}
