import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import Fastify, { type FastifyInstance } from 'fastify';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import { redactUrl } from '../secrets/redaction.ts';
import { corsHeaders, preflight } from './cors.ts';
import { type Answered, handle } from './handle.ts';
import { type Addressing, type Client, type Incoming, incoming } from './incoming.ts';
import type { Registry } from './registry.ts';
import type { Outgoing } from './reply.ts';
import type { Rooms } from './rooms.ts';

/**
 * HTTP in and out: Fastify carries connections and closes them gracefully, everything that it would decide about a
 * request (route, body, type, errors) is decided by the endpoints.
 */
export interface TransportOptions {
  readonly registry: Registry;
  readonly rooms: Rooms;
  readonly addressing: Addressing;
  readonly metrics: Metrics;
  /** How long a body may stand still, in milliseconds; 60 s unless given. */
  readonly patience?: number;
}

export function createTransport(options: TransportOptions): FastifyInstance {
  const fastify = Fastify({
    logger: false,
    forceCloseConnections: 'idle',
    // What comes in while the server stops is answered like everything before it.
    return503OnClosing: false,
    // Bodies have limits and timers of their own; a clone or push may take as long as it moves.
    requestTimeout: 0,
    clientErrorHandler: refuseUnreadable,
    // Fastify's own router must not look at paths: endpoints match on the raw one.
    rewriteUrl: (request) => {
      RAW_URLS.set(request as IncomingMessage, request.url ?? '/');
      return '/';
    },
  });
  const flight = inFlight(fastify);
  // Before Fastify looks at the content type. Its not-found handler is there for methods that it doesn't know.
  fastify.addHook('onRequest', (request, reply) => {
    reply.hijack();
    return flight.track(exchange(options, request.raw, reply.raw, flight), reply.raw);
  });
  fastify.setNotFoundHandler(() => {});
  return fastify;
}

interface Flight {
  /** The server is stopping: connections end with their answer. */
  closing: boolean;
  track(work: Promise<void>, response: ServerResponse): Promise<void>;
}

/** Requests that are being answered. When the server stops each is answered; then no connection keeps it waiting. */
function inFlight(fastify: FastifyInstance): Flight {
  let running = 0;
  const flight: Flight = {
    closing: false,
    track(work, response) {
      running++;
      // A request has landed when its work is done and its answer is out, whichever comes last.
      let open = 2;
      const landed = () => {
        open--;
        if (open > 0) return;
        running--;
        endWhenLanded();
      };
      response.once('close', landed);
      work.then(landed, landed);
      return work;
    },
  };
  const endWhenLanded = () => {
    if (flight.closing && running === 0) fastify.server.closeAllConnections();
  };
  fastify.addHook('preClose', async () => {
    flight.closing = true;
    endWhenLanded();
  });
  return flight;
}

/** What can't be read as HTTP at all, a NUL in a header for example: stage 1 of contract/conventions.md §1. */
function refuseUnreadable(error: { readonly code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = UNREADABLE[error.code ?? ''] ?? '400 Bad Request';
  const body = status.slice(4);
  const headers = [
    `HTTP/1.1 ${status}`,
    'Content-Type: text/plain',
    `Content-Length: ${body.length}`,
    `X-Request-Id: ${randomUUID()}`,
    'X-Content-Type-Options: nosniff',
    'Connection: close',
  ];
  socket.end(`${headers.join('\r\n')}\r\n\r\n${body}`);
}

const UNREADABLE: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

const BODY_PATIENCE = 60_000;
const RAW_URLS = new WeakMap<IncomingMessage, string>();

async function exchange(
  options: TransportOptions,
  raw: IncomingMessage,
  response: ServerResponse,
  flight: Flight,
): Promise<void> {
  const { rooms, metrics } = options;
  const started = performance.now();
  const client = watchClient(response);
  raw.url = RAW_URLS.get(raw) ?? raw.url ?? '/';
  const facts = { id: randomUUID(), patience: options.patience ?? BODY_PATIENCE, client };
  const request = incoming(raw, facts, options.addressing);
  const { endpoint, outgoing } = await answerOf(options, request);
  if (flight.closing) response.shouldKeepAlive = false;
  await send(request, outgoing, response, rooms.log);
  const seconds = (performance.now() - started) / 1000;
  const name = endpoint?.name ?? 'none';
  metrics.request({ endpoint: name, method: request.method, status: outgoing.status, seconds });
  rooms.log.request({
    request: request.id,
    method: request.method,
    url: redactUrl(`${request.path}${request.query === '' ? '' : `?${request.query}`}`),
    endpoint: name,
    status: outgoing.status,
    milliseconds: Math.round(seconds * 1000),
    address: request.clientAddress,
  });
}

/** Making an AbortSignal costs more than most answers, so that it is made for those who ask. */
function watchClient(response: ServerResponse): Client {
  let gone = false;
  let controller: AbortController | undefined;
  response.once('close', () => {
    gone = !response.writableFinished;
    if (gone) controller?.abort();
  });
  return {
    get gone() {
      return gone;
    },
    get signal() {
      controller ??= new AbortController();
      if (gone) controller.abort();
      return controller.signal;
    },
  };
}

async function answerOf({ registry, rooms }: TransportOptions, request: Incoming): Promise<Answered> {
  const early = preflight(request);
  if (early) return { endpoint: null, outgoing: early };
  const answered = await handle(registry, rooms, request);
  // A client that went away in the middle of its body is nobody's fault.
  if (answered.failure !== undefined && !request.client.gone) {
    rooms.log.error(
      { request: request.id, endpoint: answered.endpoint?.name, err: answered.failure },
      'A request failed',
    );
  }
  return answered;
}

async function send(request: Incoming, outgoing: Outgoing, response: ServerResponse, log: Log): Promise<void> {
  const { status, body } = outgoing;
  const headers: Record<string, string | readonly string[]> = {
    ...outgoing.headers,
    'X-Request-Id': request.id,
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'SAMEORIGIN',
    Vary: 'Origin',
    ...corsHeaders(request),
  };
  if (typeof body === 'string' || body instanceof Uint8Array) {
    headers['Content-Length'] ??= String(Buffer.byteLength(body));
  } else if (body === undefined && status !== 204 && status !== 304 && request.method !== 'HEAD') {
    headers['Content-Length'] ??= '0';
  }
  try {
    response.writeHead(status, headers as Record<string, string | string[]>);
    if (body === undefined || request.method === 'HEAD' || typeof body === 'string' || body instanceof Uint8Array) {
      if (request.method === 'HEAD' && isStream(body)) body.destroy();
      response.end(request.method === 'HEAD' ? undefined : body);
    } else {
      await pipeline(body as Readable, response);
    }
  } catch (error) {
    if (!request.client.gone) log.error({ request: request.id, err: error }, 'An answer could not be sent');
    response.destroy();
  }
}

function isStream(body: unknown): body is Readable {
  return typeof body === 'object' && body !== null && 'destroy' in body;
}
