import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { HttpError, plainBadRequest, serverError, unavailable } from '#http/errors/http-error.ts';
import {
  type Addressing,
  hasValidHost,
  type IncomingRequest,
  resolveClientNetwork,
  toIncomingRequest,
} from '#http/request/incoming.ts';
import {
  type Connections,
  closeUnlessFullyRead,
  createConnections,
  DEFAULT_IDLE_TIMEOUT_MS,
} from '#http/server/connection/connections.ts';
import { CLIENT_GONE, recordRequest } from '#http/server/connection/request-log.ts';
import { type OutgoingResponse, toErrorResponse } from '#http/server/response/response.ts';
import { send } from '#http/server/response/send.ts';
import type { Services } from '#http/services.ts';
import { ClientDisconnected, QueueFull, type RequestClient } from '#runtime/concurrency-limiter.ts';
import type { PrimaryProxy } from '../proxy/proxy.ts';

interface TransportOptions {
  readonly services: Pick<Services, 'clock' | 'log' | 'metrics'>;
  readonly addressing: Addressing;
  readonly proxy: PrimaryProxy;
  /** Returns the response to a locally served request; null: proxy it. */
  readonly answerLocally: (request: IncomingRequest) => Promise<OutgoingResponse | null>;
  /** Returns a response while the primary is unavailable; null: there is none. */
  readonly answerWhileAway: (request: IncomingRequest) => Promise<OutgoingResponse | null>;
  /** Called for each proxied request. */
  readonly onProxied: (request: IncomingRequest) => void;
  readonly siteName: () => string;
  /** How long a body may stall, in milliseconds; default 60 s. */
  readonly stallTimeoutMs?: number | undefined;
}

/** HTTP server of a secondary, for local and proxied requests. */
export function createTransport(options: TransportOptions): Connections {
  return createConnections({
    exchange: (raw, response, client) => exchange(options, raw, response, client),
    networkOf: (raw) => resolveClientNetwork(raw, options.addressing),
    clock: options.services.clock,
    headersOfUnreadable: () => [`X-Hearth-Site: ${encodeHeaderValue(options.siteName())}`, 'X-Hearth-Proxied: false'],
    idleTimeout: options.stallTimeoutMs,
  });
}

async function exchange(
  options: TransportOptions,
  raw: IncomingMessage,
  response: ServerResponse,
  client: RequestClient,
): Promise<void> {
  const { services, stallTimeoutMs = DEFAULT_IDLE_TIMEOUT_MS } = options;
  const started = performance.now();
  const request = toIncomingRequest(raw, { id: randomUUID(), idleTimeout: stallTimeoutMs, client }, options.addressing);
  try {
    const { status, endpoint } = await answer(options, request, response);
    closeUnlessFullyRead(raw, stallTimeoutMs);
    recordRequest(services, request, { endpoint, status: client.isDisconnected ? CLIENT_GONE : status, started });
  } catch (error) {
    services.log.error({ err: error }, 'A request could not be answered');
    response.destroy();
  }
}

async function answer(options: TransportOptions, request: IncomingRequest, response: ServerResponse) {
  const { services, proxy, answerLocally, answerWhileAway, onProxied, siteName } = options;
  const site = { 'X-Hearth-Site': encodeHeaderValue(siteName()) };
  const here = async (outgoing: OutgoingResponse, proxied = false) => {
    const headers = { ...outgoing.headers, ...site, 'X-Hearth-Proxied': String(proxied) };
    await send(request, { ...outgoing, headers }, response, services);
    return { status: outgoing.status, endpoint: proxied ? 'proxied' : 'local' };
  };
  try {
    const refusal = validateRequest(request);
    if (refusal !== null) return await here(toErrorResponse(refusal));
    const own = await answerLocally(request);
    if (own !== null) return await here(own);
    onProxied(request);
    const status = await proxy.forward(request, response, { ...site, 'X-Hearth-Proxied': 'true' });
    if (status !== 'away') return { status, endpoint: 'proxied' };
    if (request.client.isDisconnected) return { status: CLIENT_GONE, endpoint: 'proxied' };
    const fallback = await answerWhileAway(request);
    return fallback === null ? await here(toErrorResponse(unavailable()), true) : await here(fallback);
  } catch (error) {
    if (error instanceof ClientDisconnected || response.headersSent) {
      response.destroy();
      return { status: CLIENT_GONE, endpoint: 'none' };
    }
    return here(toErrorResponse(errorFor(error, options, request)));
  }
}

function errorFor(error: unknown, { services }: TransportOptions, request: IncomingRequest): HttpError {
  if (error instanceof HttpError) return error;
  if (error instanceof QueueFull) return unavailable(error.retryAfter);
  if (!request.client.isDisconnected) services.log.error({ request: request.id, err: error }, 'A request failed');
  return serverError();
}

/** A secondary of a secondary, or of itself. */
const loopDetected = () => new HttpError(508, { message: '508 Loop Detected' });

/** Returns an error for requests that must not be proxied. */
function validateRequest(request: IncomingRequest): HttpError | null {
  if (!hasValidHost(request) || !request.path.startsWith('/')) return plainBadRequest();
  return request.headers['x-hearth-proxied'] === undefined ? null : loopDetected();
}

/** Encodes characters that header values cannot contain. */
function encodeHeaderValue(name: string): string {
  return name.toWellFormed().replace(/[^\x20-\x7e]+/g, (part) => encodeURIComponent(part));
}
