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

/** Name, value, name, value... */
type RawHeaders = readonly string[];

/** Returns the headers of a proxied request to `host`. `chain`: value of X-Forwarded-For. */
export function buildRequestHeaders(raw: IncomingMessage, host: string, chain: string): string[] {
  const lines = forwardedHeaders(raw.rawHeaders, (name) => name === 'expect' && expectsContinue(raw));
  return ['Host', host, ...lines, ...framingHeaders(raw), 'X-Forwarded-For', chain, 'X-Hearth-Proxied', 'true'];
}

/** Returns the headers of a proxied response. */
export function buildResponseHeaders(primaryResponse: IncomingMessage): string[] {
  return forwardedHeaders(primaryResponse.rawHeaders, () => false);
}

function forwardedHeaders(lines: RawHeaders, isExcluded: (name: string) => boolean): string[] {
  const connectionHeaders = new Set<string>();
  for (let at = 0; at < lines.length; at += 2) {
    if (lines[at]!.toLowerCase() !== 'connection') continue;
    for (const name of lines[at + 1]!.split(',')) connectionHeaders.add(name.trim().toLowerCase());
  }
  // Content-Length must not be removed, even if Connection names it.
  connectionHeaders.delete('content-length');
  const forwarded: string[] = [];
  for (let at = 0; at < lines.length; at += 2) {
    // Some servers treat `_` and `-` alike.
    const name = lines[at]!.toLowerCase().replaceAll('_', '-');
    if (!droppedHeaders.has(name) && !connectionHeaders.has(name) && !isExcluded(name))
      forwarded.push(lines[at]!, lines[at + 1]!);
  }
  return forwarded;
}

/** Returns the framing headers: the body keeps its announced length, or is chunked. */
function framingHeaders({ headers, method }: IncomingMessage): string[] {
  if (headers['transfer-encoding'] !== undefined) return ['Transfer-Encoding', 'chunked'];
  const mayHaveBody = method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS';
  return headers['content-length'] === undefined && mayHaveBody ? ['Content-Length', '0'] : [];
}

/** Already handled by the code that reads the body. */
function expectsContinue({ headers }: IncomingMessage): boolean {
  return /^100-continue$/i.test(headers.expect ?? '');
}

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
