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
  CLIENT_DISCONNECTED,
  type Connections,
  closeUnlessFullyRead,
  createConnections,
  DEFAULT_IDLE_TIMEOUT_MS,
  recordRequest,
} from '#http/server/connection/connections.ts';
import { type OutgoingResponse, toErrorResponse } from '#http/server/response/response.ts';
import { send } from '#http/server/response/send.ts';
import type { Services } from '#http/services.ts';
import { ClientDisconnected, QueueFull, type RequestClient } from '#runtime/concurrency-limiter.ts';
import type { PrimaryProxy } from './proxy.ts';

interface TransportOptions {
  readonly services: Pick<Services, 'clock' | 'log' | 'metrics'>;
  readonly addressing: Addressing;
  readonly proxy: PrimaryProxy;
  /** Returns the response to a locally served request; null: proxy it. */
  readonly answerLocally: (request: IncomingRequest) => Promise<OutgoingResponse | null>;
  /** Returns a response while the primary is unavailable; null: there is none. */
  readonly respondWhilePrimaryIsAway: (request: IncomingRequest) => Promise<OutgoingResponse | null>;
  /** Called for each proxied request. */
  readonly onProxied: (request: IncomingRequest) => void;
  readonly getSiteName: () => string;
  /** Milliseconds that a body may stall; default 60 s. */
  readonly stallTimeoutMs?: number | undefined;
}

/** HTTP server of a secondary, for local and proxied requests. */
export function createTransport(options: TransportOptions): Connections {
  return createConnections({
    respond: (raw, response, client) => handleExchange(options, raw, response, client),
    getNetwork: (raw) => resolveClientNetwork(raw, options.addressing),
    clock: options.services.clock,
    getUnreadableRequestHeaders: () => [
      `X-Hearth-Site: ${encodeHeaderValue(options.getSiteName())}`,
      'X-Hearth-Proxied: false',
    ],
    idleTimeoutMs: options.stallTimeoutMs,
  });
}

async function handleExchange(
  options: TransportOptions,
  raw: IncomingMessage,
  response: ServerResponse,
  client: RequestClient,
): Promise<void> {
  const { services, stallTimeoutMs = DEFAULT_IDLE_TIMEOUT_MS } = options;
  const startedAt = performance.now();
  response.once('close', services.metrics.startRequest());
  const request = toIncomingRequest(
    raw,
    { id: randomUUID(), idleTimeoutMs: stallTimeoutMs, client },
    options.addressing,
  );
  try {
    const { status, endpoint } = await respond(options, request, response);
    closeUnlessFullyRead(raw, stallTimeoutMs);
    recordRequest(services, request, {
      endpoint,
      status: client.isDisconnected ? CLIENT_DISCONNECTED : status,
      startedAt,
    });
  } catch (error) {
    services.log.error({ err: error }, 'A request could not be answered');
    response.destroy();
  }
}

/** Answers a request locally or by proxy. Returns the status and where it was answered, for log and metrics. */
async function respond(options: TransportOptions, request: IncomingRequest, response: ServerResponse) {
  const { services, proxy, answerLocally, respondWhilePrimaryIsAway, onProxied, getSiteName } = options;
  const siteHeader = { 'X-Hearth-Site': encodeHeaderValue(getSiteName()) };
  const respondLocally = async (outgoing: OutgoingResponse, proxied = false) => {
    const headers = { ...outgoing.headers, ...siteHeader, 'X-Hearth-Proxied': String(proxied) };
    await send(request, { ...outgoing, headers }, response, services);
    return { status: outgoing.status, endpoint: proxied ? 'proxied' : 'local' };
  };
  try {
    const rejection = validateRequest(request);
    if (rejection !== null) return await respondLocally(toErrorResponse(rejection));
    const localResponse = await answerLocally(request);
    if (localResponse !== null) return await respondLocally(localResponse);
    onProxied(request);
    const status = await proxy.forward(request, response, { ...siteHeader, 'X-Hearth-Proxied': 'true' });
    if (status !== 'unavailable') return { status, endpoint: 'proxied' };
    if (request.client.isDisconnected) return { status: CLIENT_DISCONNECTED, endpoint: 'proxied' };
    const fallback = await respondWhilePrimaryIsAway(request);
    return fallback === null
      ? await respondLocally(toErrorResponse(unavailable()), true)
      : await respondLocally(fallback);
  } catch (error) {
    if (error instanceof ClientDisconnected || response.headersSent) {
      response.destroy();
      return { status: CLIENT_DISCONNECTED, endpoint: 'none' };
    }
    return respondLocally(toErrorResponse(toHttpError(error, options, request)));
  }
}

function toHttpError(error: unknown, { services }: TransportOptions, request: IncomingRequest): HttpError {
  if (error instanceof HttpError) return error;
  if (error instanceof QueueFull) return unavailable(error.retryAfterSeconds);
  if (!request.client.isDisconnected) services.log.error({ request: request.id, err: error }, 'A request failed');
  return serverError();
}

/** Creates the error for a request that another secondary, or this one, has already proxied. */
const createLoopError = () => new HttpError(508, { message: '508 Loop Detected' });

/** Returns an error for requests that must not be proxied. */
function validateRequest(request: IncomingRequest): HttpError | null {
  if (!hasValidHost(request) || !request.path.startsWith('/')) return plainBadRequest();
  return request.headers['x-hearth-proxied'] === undefined ? null : createLoopError();
}

/** Encodes characters that header values cannot contain. */
function encodeHeaderValue(name: string): string {
  return name.toWellFormed().replace(/[^\x20-\x7e]+/g, (part) => encodeURIComponent(part));
}
