import type { IncomingMessage } from 'node:http';

/*
 * What is handed on of the headers of a request or answer. Names and values go as they came, in the order in which they
 * came; what is about one connection stays behind (RFC 9110 §7.6.1), and so does what anybody may have written about who
 * he is.
 */

const OF_ONE_CONNECTION = [
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

/** Said by us, of the connection that we see. */
const SAID_BY_US = [
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

const stays = new Set([...OF_ONE_CONNECTION, ...SAID_BY_US]);

/** Name, value, name, value... */
type Lines = readonly string[];

/** Those of a request, for whoever is at `host`. `chain`: what X-Forwarded-For says of whom it came from. */
export function requestHeaders(raw: IncomingMessage, host: string, chain: string): string[] {
  const lines = handedOn(raw.rawHeaders, (name) => name === 'expect' && isContinue(raw));
  return ['Host', host, ...lines, ...framing(raw), 'X-Forwarded-For', chain, 'X-Hearth-Proxied', 'true'];
}

/** Those of an answer. */
export function answerHeaders(answer: IncomingMessage): string[] {
  return handedOn(answer.rawHeaders, () => false);
}

function handedOn(lines: Lines, leaveOut: (name: string) => boolean): string[] {
  const named = new Set<string>();
  for (let at = 0; at < lines.length; at += 2) {
    if (lines[at]!.toLowerCase() !== 'connection') continue;
    for (const name of lines[at + 1]!.split(',')) named.add(name.trim().toLowerCase());
  }
  // Without its length a body would have no end.
  named.delete('content-length');
  const kept: string[] = [];
  for (let at = 0; at < lines.length; at += 2) {
    // Some servers take one for the other.
    const name = lines[at]!.toLowerCase().replaceAll('_', '-');
    if (!stays.has(name) && !named.has(name) && !leaveOut(name)) kept.push(lines[at]!, lines[at + 1]!);
  }
  return kept;
}

/** The body goes as it comes: with the length that was announced, or in pieces. */
function framing({ headers, method }: IncomingMessage): string[] {
  if (headers['transfer-encoding'] !== undefined) return ['Transfer-Encoding', 'chunked'];
  const mayHaveBody = method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS';
  return headers['content-length'] === undefined && mayHaveBody ? ['Content-Length', '0'] : [];
}

/** Met already, by whoever reads the body. */
function isContinue({ headers }: IncomingMessage): boolean {
  return /^100-continue$/i.test(headers.expect ?? '');
}

/** Does the request have a body? */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
