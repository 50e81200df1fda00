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
import { preflightResponse } from '../response/cors.ts';
import { discardBody, type OutgoingResponse, toErrorResponse } from '../response/response.ts';
import {
  hasResponseMemory,
  measureResponse,
  RESPONSE_RETRY_AFTER,
  releaseResponseMemory,
  reserveResponseMemory,
} from '../response/response-memory.ts';
import { send } from '../response/send.ts';
import type { Registry } from '../routing/registry.ts';
import { type Connections, closeUnlessFullyRead, createConnections, DEFAULT_IDLE_TIMEOUT_MS } from './connections.ts';
import { CLIENT_GONE, recordRequest } from './request-log.ts';

/** The HTTP transport: Node's server handles connections; the endpoints decide everything about a request. */
export type Transport = Connections;

interface TransportOptions {
  readonly registry: Registry;
  readonly services: Services;
  readonly addressing: Addressing;
  readonly metrics: Metrics;
  /** How long a request or response body may be idle, in milliseconds; 60 s by default. */
  readonly idleTimeout?: number | undefined;
  /** How long running requests may take when the server stops, in milliseconds; 25 s by default. */
  readonly grace?: number;
}

export function createTransport(options: TransportOptions): Transport {
  const { idleTimeout, grace } = options;
  return createConnections({
    exchange: (raw, response, client) => handleExchange(options, raw, response, client),
    networkOf: (raw) => resolveClientNetwork(raw, options.addressing),
    clock: options.services.clock,
    idleTimeout,
    grace,
  });
}

async function handleExchange(
  options: TransportOptions,
  raw: IncomingMessage,
  response: ServerResponse,
  client: RequestClient,
): Promise<void> {
  const { services, metrics, idleTimeout = DEFAULT_IDLE_TIMEOUT_MS } = options;
  const started = performance.now();
  const request = toIncomingRequest(raw, { id: randomUUID(), idleTimeout, client }, options.addressing);
  const { endpoint, outgoing } = limitMemory(request, await respondTo(options, request));
  releaseBodyMemory(request);
  const status = client.isDisconnected ? CLIENT_GONE : outgoing.status;
  await send(request, outgoing, response, services);
  releaseWhenClosed(response, client);
  closeUnlessFullyRead(raw, idleTimeout);
  recordRequest({ log: services.log, metrics }, request, { endpoint: endpoint?.name ?? 'none', status, started });
}

const isSafe = ({ method }: IncomingRequest) => method === 'GET' || method === 'HEAD' || method === 'OPTIONS';

/**
 * Reserves the memory of the response. If there is not enough, a read is answered 503. The client of a change that is made
 * already is disconnected, because 503 would invite it to repeat the change.
 */
function limitMemory(request: IncomingRequest, answered: HandledRequest): HandledRequest {
  const { endpoint, outgoing } = answered;
  const { client, method } = request;
  if (method === 'HEAD' || client.isDisconnected) return answered;
  if (reserveResponseMemory(client, measureResponse(outgoing))) return answered;
  discardBody(outgoing);
  if (!isSafe(request)) client.disconnect();
  return { endpoint, outgoing: toErrorResponse(unavailable(RESPONSE_RETRY_AFTER)) };
}

/** Releases the memory of the response when the connection has taken all of it, or has ended. */
function releaseWhenClosed(response: ServerResponse, client: RequestClient): void {
  if (response.writableFinished || response.destroyed) releaseResponseMemory(client);
  else response.once('close', () => releaseResponseMemory(client));
}

function rejectMissingHost(request: IncomingRequest): OutgoingResponse | null {
  return hasValidHost(request) ? null : toErrorResponse(plainBadRequest());
}

/** Rejects expectations other than `100-continue`, which Node handles. HTTP/1.0 has no expectations (RFC 9110 §10.1.1). */
function rejectExpectation({ headers, stream }: IncomingRequest): OutgoingResponse | null {
  if (headers.expect === undefined || stream.httpVersion !== '1.1') return null;
  return /(?:^|\W)100-continue(?:$|\W)/i.test(headers.expect) ? null : toErrorResponse(expectationFailed());
}

/** Rejects a change whose response would not fit into memory. */
function rejectChange(request: IncomingRequest): OutgoingResponse | null {
  if (isSafe(request) || hasResponseMemory(request.client)) return null;
  return toErrorResponse(unavailable(RESPONSE_RETRY_AFTER));
}

async function respondTo({ registry, services }: TransportOptions, request: IncomingRequest): Promise<HandledRequest> {
  const early =
    rejectMissingHost(request) ?? rejectExpectation(request) ?? preflightResponse(request) ?? rejectChange(request);
  if (early) return { endpoint: null, outgoing: early };
  const answered = await handleRequest(registry, services, request);
  // A client that disconnected while sending its body is not an error.
  if (answered.error !== undefined && !request.client.isDisconnected) {
    const fields = { request: request.id, endpoint: answered.endpoint?.name, err: answered.error };
    if (answered.outgoing.status >= 500) services.log.error(fields, 'A request failed');
    // Most often a lost race; if it repeats, a foreign key of the code is wrong.
    else services.log.warn(fields, 'A request referred to a deleted row');
  }
  return answered;
}
