import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import { request as httpsRequest, Agent as TlsAgent } from 'node:https';
import type { Socket } from 'node:net';
import { getBaseUrl } from '#config.ts';
import { invalidText } from '#http/errors/http-error.ts';
import { firstHeader, type IncomingRequest } from '#http/request/incoming.ts';
import { getHost, getPort } from '#outbound-http/check-url.ts';
import { limitInformationalResponses } from '#outbound-http/client.ts';
import { createConcurrencySlots } from '#rate-limits/concurrency-slots.ts';
import { Agent, request as httpRequest } from '#runtime/node-http.ts';

/** Forwards requests to the primary and streams the responses back. */
export interface PrimaryProxy {
  /**
   * Resolves with the status when the response is complete or the client has disconnected; `away`: the primary did not
   * respond, and nothing was sent. Rejects with `QueueFull` if too many requests are in progress.
   */
  forward(
    request: IncomingRequest,
    response: ServerResponse,
    extraHeaders: Readonly<Record<string, string>>,
  ): Promise<number | 'unavailable'>;
  close(): void;
}

/** Maximum number of concurrent proxied requests, each of which may last as long as its client stays connected. */
const MAX_REQUESTS = { perNetwork: 128, total: 512 };

/** Time in which a connection to the primary must be established, in milliseconds. */
const CONNECT_TIMEOUT_MS = 10_000;

/** Time until the primary must respond, in milliseconds. */
const PRIMARY_TIMEOUT_MS = 300_000;

/** Maximum number of idle connections per agent. */
const MAX_IDLE_CONNECTIONS = 32;

/** Matches a segment `.` or `..`, also percent-encoded, which could lead out of the primary's base path. */
const PARENT_SEGMENT = /(?:^|[/\\]|%2f|%5c)(?:\.|%2e){1,2}(?:[/\\;]|%2f|%5c|$)/i;

interface ProxyOptions {
  /** Returns the current address of the primary. */
  readonly getTarget: () => URL;
  /** Returns whether X-Forwarded-For from this address is trusted. */
  readonly isTrusted: (address: string) => boolean;
  /** Overrides the default, in milliseconds. */
  readonly primaryTimeoutMs?: number | undefined;
}

export function createProxy({
  getTarget,
  isTrusted,
  primaryTimeoutMs = PRIMARY_TIMEOUT_MS,
}: ProxyOptions): PrimaryProxy {
  const agents = { 'http:': new Agent(reusedConnections), 'https:': new TlsAgent(reusedConnections) };
  const freshAgents = { 'http:': new Agent(freshConnections), 'https:': new TlsAgent(freshConnections) };
  const slots = createConcurrencySlots(MAX_REQUESTS);

  const send = (request: IncomingRequest, useFreshConnection: boolean): ClientRequest => {
    const url = getTarget();
    const raw = request.stream;
    const prefix = getBaseUrl(url).slice(url.origin.length);
    if (prefix !== '' && PARENT_SEGMENT.test(request.path)) throw invalidText('path');
    const peerAddress = raw.socket.remoteAddress ?? '';
    const forwardedFor = isTrusted(peerAddress) ? firstHeader(raw.headers['x-forwarded-for']) : undefined;
    const agent = (useFreshConnection ? freshAgents : agents)[url.protocol as keyof typeof agents];
    const options = {
      method: request.method,
      host: getHost(url),
      port: getPort(url),
      path: prefix + request.path + (request.query === '' ? '' : `?${request.query}`),
      headers: buildRequestHeaders(
        raw,
        url.host,
        forwardedFor === undefined ? peerAddress : `${forwardedFor}, ${peerAddress}`,
      ),
      setHost: false,
      agent,
    };
    return url.protocol === 'https:' ? httpsRequest(options) : httpRequest(options);
  };

  return {
    async forward(request, response, extraHeaders) {
      const releaseSlot = await slots.take(request.clientAddress, request.client);
      try {
        // A body can be sent only once, so its request does not use a connection that may have been closed.
        const isRetryable = !hasBody(request.stream) && (request.method === 'GET' || request.method === 'HEAD');
        const outcome = await exchangeWithPrimary(send(request, !isRetryable), {
          request,
          response,
          extraHeaders,
          primaryTimeoutMs,
        });
        if (outcome !== 'stale') return outcome;
        const retryResult = await exchangeWithPrimary(send(request, true), {
          request,
          response,
          extraHeaders,
          primaryTimeoutMs,
        });
        return retryResult === 'stale' ? 'unavailable' : retryResult;
      } finally {
        releaseSlot();
      }
    },
    close() {
      for (const agentsByProtocol of [agents, freshAgents])
        for (const agent of Object.values(agentsByProtocol)) agent.destroy();
    },
  };
}

const reusedConnections = { keepAlive: true, maxFreeSockets: MAX_IDLE_CONNECTIONS };
/** Connections for one request, which still announce keep-alive: a peer that closes early might not read everything. */
const freshConnections = { keepAlive: true, maxFreeSockets: 0 };

interface Forwarding {
  readonly request: IncomingRequest;
  readonly response: ServerResponse;
  readonly extraHeaders: Readonly<Record<string, string>>;
  readonly primaryTimeoutMs: number;
}

/** Sends one request to the primary. `stale`: the reused connection was closed before any response. */
function exchangeWithPrimary(
  primaryRequest: ClientRequest,
  forwarding: Forwarding,
): Promise<number | 'unavailable' | 'stale'> {
  const { request, response, primaryTimeoutMs } = forwarding;
  const raw = request.stream;
  return new Promise((resolve) => {
    let status: number | 'unavailable' | 'stale' = 'unavailable';
    const connectTimeout = setTimeout(() => primaryRequest.destroy(), CONNECT_TIMEOUT_MS);
    const stallTimeout = startStallTimeout({
      getSockets: () => [raw.socket, primaryRequest.socket],
      getTimeoutMs: () => (response.headersSent || !raw.complete ? request.idleTimeoutMs : primaryTimeoutMs),
      intervalMs: Math.min(request.idleTimeoutMs, primaryTimeoutMs) / 4,
      onStall: () => {
        primaryRequest.destroy();
        // The response has started, or the request is incomplete: it cannot be repaired.
        if (response.headersSent || !raw.complete) response.destroy();
      },
    });
    const cleanUp = () => {
      clearTimeout(connectTimeout);
      stallTimeout.end();
      response.off('close', onClientClose);
      raw.unpipe(primaryRequest).resume();
      // The body drains in the next tick, and not at all after an earlier response has ended.
      setImmediate(() => resolve(status));
    };
    const onClientClose = () => {
      if (!response.writableFinished) primaryRequest.destroy();
      cleanUp();
    };
    response.once('close', onClientClose);
    primaryRequest.once('socket', (socket) => {
      if (!socket.connecting) clearTimeout(connectTimeout);
      else socket.once('connect', () => clearTimeout(connectTimeout));
    });
    limitInformationalResponses(primaryRequest, () => primaryRequest.destroy());
    primaryRequest.on('error', () => {
      if (response.headersSent) return;
      if (primaryRequest.reusedSocket) status = 'stale';
      cleanUp();
    });
    primaryRequest.on('close', () => {
      // A server that has responded may stop reading: drain the request, so that the client gets the response.
      if (response.headersSent && !raw.complete) raw.unpipe(primaryRequest).resume();
    });
    primaryRequest.on('upgrade', (_response, socket) => {
      socket.destroy();
      cleanUp();
    });
    primaryRequest.on('response', (primaryResponse) => {
      status = primaryResponse.statusCode!;
      forwardResponse(primaryResponse, forwarding);
    });
    if (hasBody(raw)) raw.pipe(primaryRequest);
    else primaryRequest.end();
    if (response.destroyed) onClientClose();
  });
}

/** Streams the response of the primary to the client. */
function forwardResponse(primaryResponse: IncomingMessage, { request, response, extraHeaders }: Forwarding): void {
  const raw = request.stream;
  const headers = [...buildResponseHeaders(primaryResponse), ...Object.entries(extraHeaders).flat()];
  primaryResponse.on('error', () => response.destroy());
  try {
    response.writeHead(primaryResponse.statusCode!, primaryResponse.statusMessage, headers);
  } catch {
    // Invalid responses are not forwarded.
    primaryResponse.destroy();
    response.destroy();
    return;
  }
  response.flushHeaders();
  primaryResponse.pipe(response, { end: false });
  primaryResponse.once('end', () => {
    // An early response ends when its request does: the connection may be closed under a client that is still sending.
    if (raw.complete) response.end();
    else for (const event of ['end', 'close'] as const) raw.once(event, () => response.end());
  });
  // A truncated response must not look complete.
  primaryResponse.once('close', () => primaryResponse.complete || response.destroy());
}

interface StallTimeoutOptions {
  /** The sockets that are watched. */
  readonly getSockets: () => readonly (Socket | null | undefined)[];
  /** Current time limit without any traffic, in milliseconds. */
  readonly getTimeoutMs: () => number;
  /** Check interval in milliseconds: the time limit may change. */
  readonly intervalMs: number;
  readonly onStall: () => void;
}

/**
 * Calls `onStall` when the sockets have transferred nothing for that time, because a stalled client occupies a slot and two
 * connections. `end` stops the checks.
 */
function startStallTimeout({ getSockets, getTimeoutMs, intervalMs, onStall }: StallTimeoutOptions): { end(): void } {
  const countBytes = () =>
    getSockets().reduce((sum, socket) => sum + (socket ? socket.bytesRead + socket.bytesWritten : 0), 0);
  let timer: NodeJS.Timeout;
  let lastByteCount = countBytes();
  let lastTransferAt = performance.now();
  const check = () => {
    const byteCount = countBytes();
    if (byteCount !== lastByteCount) {
      lastByteCount = byteCount;
      lastTransferAt = performance.now();
    }
    const remainingMs = getTimeoutMs() - (performance.now() - lastTransferAt);
    if (remainingMs <= 0) onStall();
    else timer = setTimeout(check, Math.max(MIN_INTERVAL_MS, Math.min(remainingMs, intervalMs)));
  };
  timer = setTimeout(check, intervalMs);
  return { end: () => clearTimeout(timer) };
}

/** Minimum time between two checks. */
const MIN_INTERVAL_MS = 10;

// Headers of proxied requests and responses. Names and values are forwarded unchanged and in order, without hop-by-hop
// headers (RFC 9110 §7.6.1) and without headers that could fake the client's identity.

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
function buildRequestHeaders(raw: IncomingMessage, host: string, forwardedFor: string): string[] {
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
function buildResponseHeaders(primaryResponse: IncomingMessage): string[] {
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

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
