import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { expectationFailed, plainBadRequest, unavailable } from '#http/errors/http-error.ts';
import { releaseBodyMemory } from '#http/request/body-memory.ts';
import {
  type Addressing,
  hasValidHost,
  type IncomingRequest,
  resolveClientNetwork,
  toIncomingRequest,
} from '#http/request/incoming.ts';
import type { Services } from '#http/services.ts';
import type { RequestClient } from '#runtime/concurrency-limiter.ts';
import type { Metrics } from '#runtime/metrics.ts';
import { type HandledRequest, handleRequest } from '../pipeline/handle.ts';
import { createPreflightResponse } from '../response/cors.ts';
import {
  discardBody,
  hasResponseMemory,
  measureResponse,
  type OutgoingResponse,
  RESPONSE_RETRY_AFTER_SECONDS,
  releaseResponseMemory,
  reserveResponseMemory,
  toErrorResponse,
} from '../response/response.ts';
import { send } from '../response/send.ts';
import type { Registry } from '../routing/registry.ts';
import {
  CLIENT_DISCONNECTED,
  type Connections,
  closeUnlessFullyRead,
  createConnections,
  DEFAULT_IDLE_TIMEOUT_MS,
  recordRequest,
} from './connections.ts';

/** The HTTP transport: Node's server handles connections; the endpoints decide everything about a request. */
export type Transport = Connections;

export interface TransportOptions {
  readonly registry: Registry;
  readonly services: Services;
  readonly addressing: Addressing;
  readonly metrics: Metrics;
  /** Timeout of an idle request or response body, in milliseconds; 60 s by default. */
  readonly idleTimeoutMs?: number | undefined;
  /** Grace period for running requests when the server stops, in milliseconds; 8 s by default. */
  readonly graceMs?: number | undefined;
}

export function createTransport(options: TransportOptions): Transport {
  const { idleTimeoutMs, graceMs } = options;
  return createConnections({
    respond: (raw, response, client) => handleExchange(options, raw, response, client),
    getNetwork: (raw) => resolveClientNetwork(raw, options.addressing),
    clock: options.services.clock,
    idleTimeoutMs,
    graceMs,
  });
}

async function handleExchange(
  options: TransportOptions,
  raw: IncomingMessage,
  response: ServerResponse,
  client: RequestClient,
): Promise<void> {
  const { services, metrics, idleTimeoutMs = DEFAULT_IDLE_TIMEOUT_MS } = options;
  const startedAt = performance.now();
  response.once('close', metrics.startRequest());
  const request = toIncomingRequest(raw, { id: randomUUID(), idleTimeoutMs, client }, options.addressing);
  const { endpoint, outgoing } = reserveMemory(request, await respond(options, request));
  releaseBodyMemory(request);
  const status = client.isDisconnected ? CLIENT_DISCONNECTED : outgoing.status;
  await send(request, outgoing, response, services);
  releaseWhenClosed(response, client);
  closeUnlessFullyRead(raw, idleTimeoutMs);
  recordRequest({ log: services.log, metrics }, request, {
    endpoint: endpoint?.name ?? 'none',
    status,
    startedAt,
  });
}

/** Whether the method is safe (RFC 9110 §9.2.1): the request changes nothing. */
const isSafe = ({ method }: IncomingRequest) => method === 'GET' || method === 'HEAD' || method === 'OPTIONS';

/**
 * Reserves the memory of the response. If there is not enough, a read gets 503. A client whose change is already made
 * is disconnected, because 503 would make it repeat the change.
 */
function reserveMemory(request: IncomingRequest, handled: HandledRequest): HandledRequest {
  const { endpoint, outgoing } = handled;
  const { client, method } = request;
  if (method === 'HEAD' || client.isDisconnected) return handled;
  if (reserveResponseMemory(client, measureResponse(outgoing))) return handled;
  discardBody(outgoing);
  if (!isSafe(request)) client.disconnect();
  return { endpoint, outgoing: toErrorResponse(unavailable(RESPONSE_RETRY_AFTER_SECONDS)) };
}

/** Releases the memory of the response when the connection has taken all of it, or has ended. */
function releaseWhenClosed(response: ServerResponse, client: RequestClient): void {
  if (response.writableFinished || response.destroyed) releaseResponseMemory(client);
  else response.once('close', () => releaseResponseMemory(client));
}

/** Rejects expectations other than `100-continue`, which Node handles. HTTP/1.0 has no expectations (RFC 9110 §10.1.1). */
function rejectExpectation({ headers, stream }: IncomingRequest): OutgoingResponse | null {
  if (headers.expect === undefined || stream.httpVersion !== '1.1') return null;
  return /(?:^|\W)100-continue(?:$|\W)/i.test(headers.expect) ? null : toErrorResponse(expectationFailed());
}

/** Rejects a change before it is made, if there is no memory left for its response. */
function rejectWithoutMemory(request: IncomingRequest): OutgoingResponse | null {
  if (isSafe(request) || hasResponseMemory(request.client)) return null;
  return toErrorResponse(unavailable(RESPONSE_RETRY_AFTER_SECONDS));
}

async function respond({ registry, services }: TransportOptions, request: IncomingRequest): Promise<HandledRequest> {
  const earlyResponse =
    (hasValidHost(request) ? null : toErrorResponse(plainBadRequest())) ??
    rejectExpectation(request) ??
    createPreflightResponse(request) ??
    rejectWithoutMemory(request);
  if (earlyResponse) return { endpoint: null, outgoing: earlyResponse };
  const handled = await handleRequest(registry, services, request);
  // A client that disconnected while sending its body is not an error.
  if (handled.error !== undefined && !request.client.isDisconnected) {
    const fields = { request: request.id, endpoint: handled.endpoint?.name, err: handled.error };
    if (handled.outgoing.status >= 500) services.log.error(fields, 'A request failed');
    // Usually a lost race. If it repeats, a statement of the server violates a foreign key.
    else services.log.warn(fields, 'A request referred to a deleted row');
  }
  return handled;
}
