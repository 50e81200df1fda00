import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { badRequestText, expectationFailed } from '#http/errors/http-error.ts';
import { letGo } from '#http/request/body-memory.ts';
import { type Addressing, hasHost, type Incoming, incoming } from '#http/request/incoming.ts';
import type { Services } from '#http/services.ts';
import type { Client } from '#runtime/concurrency-limiter.ts';
import type { Metrics } from '#runtime/metrics.ts';
import { type Answered, handle } from '../pipeline/handle.ts';
import { preflight } from '../response/cors.ts';
import { type Outgoing, refusalReply } from '../response/response.ts';
import { send } from '../response/send.ts';
import type { Registry } from '../routing/registry.ts';
import { type Connections, createConnections, endUnlessRead, PATIENCE } from './connections.ts';
import { CLIENT_GONE, tell } from './request-log.ts';

/**
 * HTTP in and out. Node's own server carries connections; everything that is to be decided about a request (route,
 * body, type, errors) is decided by the endpoints.
 */
export type Transport = Connections;

interface TransportOptions {
  readonly registry: Registry;
  readonly services: Services;
  readonly addressing: Addressing;
  readonly metrics: Metrics;
  /** How long a body may stand still on its way in or out, in milliseconds; 60 s unless given. */
  readonly patience?: number | undefined;
  /** How long requests in flight may still take when the server stops, in milliseconds; 25 s unless given. */
  readonly grace?: number;
}

export function createTransport(options: TransportOptions): Transport {
  const { patience, grace } = options;
  return createConnections({
    exchange: (raw, response, client) => exchange(options, raw, response, client),
    clock: options.services.clock,
    patience,
    grace,
  });
}

async function exchange(
  options: TransportOptions,
  raw: IncomingMessage,
  response: ServerResponse,
  client: Client,
): Promise<void> {
  const { services, metrics, patience = PATIENCE } = options;
  const started = performance.now();
  const request = incoming(raw, { id: randomUUID(), patience, client }, options.addressing);
  const { endpoint, outgoing } = await answerOf(options, request);
  letGo(request);
  // Nobody hears the answer.
  const status = client.gone ? CLIENT_GONE : outgoing.status;
  await send(request, outgoing, response, services);
  endUnlessRead(raw, patience);
  tell({ log: services.log, metrics }, request, { endpoint: endpoint?.name ?? 'none', status, started });
}

function hostless(request: Incoming): Outgoing | null {
  return hasHost(request) ? null : refusalReply(badRequestText());
}

/** Node itself meets the only expectation that there is, `100-continue`. Of HTTP/1.0 it is none (RFC 9110 §10.1.1). */
function unmetExpectation({ headers, stream }: Incoming): Outgoing | null {
  if (headers.expect === undefined || stream.httpVersion !== '1.1') return null;
  return /(?:^|\W)100-continue(?:$|\W)/i.test(headers.expect) ? null : refusalReply(expectationFailed());
}

async function answerOf({ registry, services }: TransportOptions, request: Incoming): Promise<Answered> {
  const early = hostless(request) ?? unmetExpectation(request) ?? preflight(request);
  if (early) return { endpoint: null, outgoing: early };
  const answered = await handle(registry, services, request);
  // A client that went away in the middle of its body is nobody's fault.
  if (answered.failure !== undefined && !request.client.gone) {
    const fields = { request: request.id, endpoint: answered.endpoint?.name, err: answered.failure };
    if (answered.outgoing.status >= 500) services.log.error(fields, 'A request failed');
    // Most often a lost race; where it comes again and again, a reference of ours is wrong.
    else services.log.warn(fields, 'A request met a record that is not there any more');
  }
  return answered;
}
