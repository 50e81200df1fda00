import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Client } from '../../gate.ts';
import type { Metrics } from '../../metrics.ts';
import { redactUrl } from '../../secrets/redaction.ts';
import { badRequestText, expectationFailed } from '../refusals/refusal.ts';
import { letGo } from '../request/held-body.ts';
import { type Addressing, hasHost, type Incoming, incoming } from '../request/incoming.ts';
import type { Rooms } from '../rooms.ts';
import { preflight } from './cors.ts';
import { type Answered, handle } from './handle.ts';
import type { Registry } from './registry.ts';
import { type Outgoing, refusalReply } from './reply.ts';
import { send } from './send.ts';
import { createTurns } from './turns.ts';

/**
 * HTTP in and out. Node's own server carries connections; everything that is to be decided about a request (route,
 * body, type, errors) is decided by the endpoints.
 */
export interface Transport {
  readonly server: Server;
  /** Answers from now on; the address, `http://127.0.0.1:8080`. */
  listen(place: { readonly host: string; readonly port: number }): Promise<string>;
  /** Takes no new connections, answers what has come in, and ends; what takes too long is cut off. */
  close(): Promise<void>;
}

interface TransportOptions {
  readonly registry: Registry;
  readonly rooms: Rooms;
  readonly addressing: Addressing;
  readonly metrics: Metrics;
  /** How long a body may stand still on its way in or out, in milliseconds; 60 s unless given. */
  readonly patience?: number | undefined;
  /** How long requests in flight may still take when the server stops, in milliseconds; 25 s unless given. */
  readonly grace?: number;
}

/** Less than the 30 s after which those who run servers kill them. */
const GRACE = 25_000;

/** How long a connection may wait for its next request, in milliseconds: longer than proxies keep theirs. */
const KEEP_ALIVE = 72_000;

export function createTransport(options: TransportOptions): Transport {
  // Bodies have limits and timers of their own; a clone or push may take as long as it moves.
  const server = createServer({
    requestTimeout: 0,
    headersTimeout: 60_000,
    keepAliveTimeout: KEEP_ALIVE,
    // Refused in stage 1, in our own form.
    requireHostHeader: false,
  });
  const flight: Flight = { running: 0, closing: false };
  const landed = () => {
    flight.running--;
    if (flight.closing && flight.running === 0) server.closeAllConnections();
  };
  const answering = new WeakMap<Socket, ServerResponse>();
  const begin = (raw: IncomingMessage, response: ServerResponse) => {
    flight.running++;
    answering.set(raw.socket, response);
    const client = new ConnectedClient(response, landed);
    response.once('close', () => turns.passed(raw.socket));
    exchange(options, raw, response, client, flight).finally(client.answered);
  };
  const turns = createTurns(begin);
  for (const event of ['request', 'checkExpectation'] as const) {
    server.on(event, (raw: IncomingMessage, response: ServerResponse) => {
      if (!turns.waits(raw, response)) begin(raw, response);
    });
  }
  server.on('clientError', (error: { readonly code?: string }, socket: Socket) => {
    if (isOwedAnother(answering.get(socket))) socket.destroy();
    else refuseUnreadable(error, socket, options);
  });
  return {
    server,
    async listen({ host, port }) {
      server.listen(port, host);
      await once(server, 'listening');
      return addressOf(server.address() as AddressInfo);
    },
    async close() {
      flight.closing = true;
      const closed = new Promise((resolve) => server.close(resolve));
      if (flight.running === 0) server.closeAllConnections();
      // A client that doesn't read its answer would keep the server for ever.
      const overdue = setTimeout(() => server.closeAllConnections(), options.grace ?? GRACE);
      await closed;
      clearTimeout(overdue);
    },
  };
}

function addressOf({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

/** Requests that are being answered. When the server stops each is answered; then no connection keeps it waiting. */
interface Flight {
  running: number;
  /** The server is stopping: connections end with their answer. */
  closing: boolean;
}

/**
 * The other end of one request. A class because one is made for each request: an object of closures costs as much as
 * finding the route. Making an AbortSignal costs more than most answers, so that it is made for those who ask.
 */
class ConnectedClient implements Client {
  gone = false;
  readonly answered: () => void;
  #controller: AbortController | undefined;
  // A request has landed when its work is done and its answer is out, whichever comes last.
  #open = 2;
  readonly #landed: () => void;

  constructor(response: ServerResponse, landed: () => void) {
    this.#landed = landed;
    this.answered = () => this.#half();
    response.once('close', () => {
      this.gone = !response.writableFinished;
      if (this.gone) this.#controller?.abort();
      this.#half();
    });
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.gone) this.#controller.abort();
    return this.#controller.signal;
  }

  #half(): void {
    this.#open--;
    if (this.#open === 0) this.#landed();
  }
}

/**
 * Whether a refusal now would be taken for the answer to a request that came whole, or for a part of it. A body that
 * breaks off in nonsense is a request that did not.
 */
function isOwedAnother(response: ServerResponse | undefined): boolean {
  if (response === undefined || response.writableFinished) return false;
  return response.headersSent || response.req.complete;
}

/** What can't be read as HTTP at all, a NUL in a header for example: stage 1 of contract/conventions.md §1. */
function refuseUnreadable(
  error: { readonly code?: string },
  socket: Socket,
  { rooms, patience = BODY_PATIENCE }: TransportOptions,
): void {
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
    `Date: ${rooms.clock.now().toUTCString()}`,
    'X-Content-Type-Options: nosniff',
    'Connection: close',
  ];
  socket.end(`${headers.join('\r\n')}\r\n\r\n${body}`);
  // A client that does not end its half would keep the connection: no other timer looks at it any more.
  socket.setTimeout(patience, () => socket.destroy());
}

const UNREADABLE: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

const BODY_PATIENCE = 60_000;

/** The status of a request whose client went away before there was an answer, in the log and the metrics. */
const CLIENT_GONE = 499;

async function exchange(
  options: TransportOptions,
  raw: IncomingMessage,
  response: ServerResponse,
  client: Client,
  flight: Flight,
): Promise<void> {
  const { rooms, metrics } = options;
  const started = performance.now();
  const facts = { id: randomUUID(), patience: options.patience ?? BODY_PATIENCE, client };
  const request = incoming(raw, facts, options.addressing);
  const { endpoint, outgoing } = await answerOf(options, request);
  letGo(request);
  // Nobody hears the answer: known under the number that nginx gives it.
  const status = client.gone ? CLIENT_GONE : outgoing.status;
  if (flight.closing) response.shouldKeepAlive = false;
  await send(request, outgoing, response, rooms);
  if (!raw.complete && !raw.closed) endUnlessRead(raw, request.patience);
  const seconds = (performance.now() - started) / 1000;
  const name = endpoint?.name ?? 'none';
  metrics.request({ endpoint: name, method: request.method, status, seconds });
  rooms.log.request({
    request: request.id,
    method: request.method,
    url: redactUrl(request.query === '' ? request.path : `${request.path}?${request.query}`),
    endpoint: name,
    status,
    milliseconds: Math.round(seconds * 1000),
    address: request.clientAddress,
  });
}

/**
 * A client that goes on sending after it has its answer is listened to for a while, because one that reads only when it
 * has sent everything would not get the answer otherwise.
 */
function endUnlessRead(raw: IncomingMessage, patience: number): void {
  const overdue = setTimeout(() => {
    if (!raw.complete) raw.socket.destroy();
  }, patience);
  raw.once('close', () => clearTimeout(overdue));
}

function hostless(request: Incoming): Outgoing | null {
  return hasHost(request) ? null : refusalReply(badRequestText());
}

/** Node itself meets the only expectation that there is, `100-continue`. Of HTTP/1.0 it is none (RFC 9110 §10.1.1). */
function unmetExpectation({ headers, stream }: Incoming): Outgoing | null {
  if (headers.expect === undefined || stream.httpVersion !== '1.1') return null;
  return /(?:^|\W)100-continue(?:$|\W)/i.test(headers.expect) ? null : refusalReply(expectationFailed());
}

async function answerOf({ registry, rooms }: TransportOptions, request: Incoming): Promise<Answered> {
  const early = hostless(request) ?? unmetExpectation(request) ?? preflight(request);
  if (early) return { endpoint: null, outgoing: early };
  const answered = await handle(registry, rooms, request);
  // A client that went away in the middle of its body is nobody's fault.
  if (answered.failure !== undefined && !request.client.gone) {
    const fields = { request: request.id, endpoint: answered.endpoint?.name, err: answered.failure };
    if (answered.outgoing.status >= 500) rooms.log.error(fields, 'A request failed');
    // Most often a lost race; where it comes again and again, a reference of ours is wrong.
    else rooms.log.warn(fields, 'A request met a record that is not there any more');
  }
  return answered;
}
