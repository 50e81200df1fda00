import type { IncomingMessage } from 'node:http';

/**
 * Headers of proxied requests and responses. Names and values are forwarded unchanged and in order, without hop-by-hop
 * headers (RFC 9110 §7.6.1) and without headers that could fake the client's identity.
 */

const HOP_BY_HOP_HEADERS = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/** Headers that the proxy sets itself. */
const OWN_HEADERS = [
  'host',
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-proto',
  'x-forwarded-server',
  'x-real-ip',
  'x-hearth-site',
  'x-hearth-proxied',
];

const droppedHeaders = new Set([...HOP_BY_HOP_HEADERS, ...OWN_HEADERS]);

/** Names and values in turn, as in `IncomingMessage.rawHeaders`. */
type RawHeaders = readonly string[];

/** Returns the headers of a proxied request to `host`. `forwardedFor`: value of X-Forwarded-For. */
export function buildRequestHeaders(raw: IncomingMessage, host: string, forwardedFor: string): string[] {
  const lines = selectForwardedHeaders(raw.rawHeaders, (name) => name === 'expect' && expectsContinue(raw));
  return [
    'Host',
    host,
    ...lines,
    ...buildFramingHeaders(raw),
    'X-Forwarded-For',
    forwardedFor,
    'X-Hearth-Proxied',
    'true',
  ];
}

/** Returns the headers of a proxied response. */
export function buildResponseHeaders(primaryResponse: IncomingMessage): string[] {
  return selectForwardedHeaders(primaryResponse.rawHeaders, () => false);
}

/** Returns the headers without hop-by-hop headers, those that Connection names, and those that the proxy sets itself. */
function selectForwardedHeaders(rawHeaders: RawHeaders, isExcluded: (name: string) => boolean): string[] {
  const connectionHeaders = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]!.toLowerCase() !== 'connection') continue;
    for (const name of rawHeaders[index + 1]!.split(',')) connectionHeaders.add(name.trim().toLowerCase());
  }
  // Content-Length must not be removed, even if Connection names it.
  connectionHeaders.delete('content-length');
  const forwarded: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    // Some servers treat `_` and `-` alike.
    const name = rawHeaders[index]!.toLowerCase().replaceAll('_', '-');
    if (!droppedHeaders.has(name) && !connectionHeaders.has(name) && !isExcluded(name))
      forwarded.push(rawHeaders[index]!, rawHeaders[index + 1]!);
  }
  return forwarded;
}

/** Returns the framing headers: the body keeps its announced length, or is chunked. */
function buildFramingHeaders({ headers, method }: IncomingMessage): string[] {
  if (headers['transfer-encoding'] !== undefined) return ['Transfer-Encoding', 'chunked'];
  const mayHaveBody = method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS';
  return headers['content-length'] === undefined && mayHaveBody ? ['Content-Length', '0'] : [];
}

/** Returns whether the request expects `100 Continue`, which the code that reads the body handles. */
function expectsContinue({ headers }: IncomingMessage): boolean {
  return /^100-continue$/i.test(headers.expect ?? '');
}

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
