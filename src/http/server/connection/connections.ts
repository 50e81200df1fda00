import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Clock } from '#runtime/clock.ts';
import type { Client } from '#runtime/concurrency-limiter.ts';
import { createTurns } from './request-order.ts';

/** The connections of a server: which requests come on them and in which order, and how they end. What is answered is others'. */
export interface Connections {
  readonly server: Server;
  /** Answers from now on; the address, `http://127.0.0.1:8080`. */
  listen(place: { readonly host: string; readonly port: number }): Promise<string>;
  /** Takes no new connections, answers what has come in, and ends; what takes too long is cut off. */
  close(): Promise<void>;
}

interface ConnectionsOptions {
  /** Answers one request. It ends when all is said, and never fails. */
  readonly exchange: (raw: IncomingMessage, response: ServerResponse, client: Client) => Promise<void>;
  readonly clock: Clock;
  /** Headers of the answer to what can't be read as HTTP, besides its own. */
  readonly headersOfUnreadable?: () => readonly string[];
  /** How long a client may keep its connection open when it is told that it can't be read, in milliseconds. */
  readonly patience?: number | undefined;
  /** How long requests in flight may still take when the server stops, in milliseconds; 25 s unless given. */
  readonly grace?: number | undefined;
}

/** Less than the 30 s after which those who run servers kill them. */
const GRACE = 25_000;

/** How long a connection may wait for its next request, in milliseconds: longer than proxies keep theirs. */
const KEEP_ALIVE = 72_000;

/** How long a body may stand still on its way in or out, in milliseconds, unless somebody says otherwise. */
export const PATIENCE = 60_000;

export function createConnections(options: ConnectionsOptions): Connections {
  // Bodies have limits and timers of their own; a clone or push may take as long as it moves.
  const server = createServer({
    requestTimeout: 0,
    headersTimeout: 60_000,
    keepAliveTimeout: KEEP_ALIVE,
    // Failure in stage 1, in our own form.
    requireHostHeader: false,
  });
  /** Those that are being answered. When the server stops each of them is; then no connection keeps it waiting. */
  const running = new Set<ServerResponse>();
  let closing = false;
  const answering = new WeakMap<Socket, ServerResponse>();
  const begin = (raw: IncomingMessage, response: ServerResponse) => {
    running.add(response);
    if (closing) endsWithAnswer(response);
    answering.set(raw.socket, response);
    const client = new ConnectedClient(response, () => {
      running.delete(response);
      if (closing && running.size === 0) server.closeAllConnections();
    });
    response.once('close', () => turns.passed(raw.socket));
    options.exchange(raw, response, client).finally(client.answered);
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
      closing = true;
      for (const response of running) endsWithAnswer(response);
      const closed = new Promise((resolve) => server.close(resolve));
      if (running.size === 0) server.closeAllConnections();
      // A client that doesn't read its answer would keep the server for ever.
      const overdue = setTimeout(() => server.closeAllConnections(), options.grace ?? GRACE);
      await closed;
      clearTimeout(overdue);
    },
  };
}

function endsWithAnswer(response: ServerResponse): void {
  if (!response.headersSent) response.shouldKeepAlive = false;
}

function addressOf({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
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
 * A client that goes on sending after it has its answer is listened to for a while, because one that reads only when it
 * has sent everything would not get the answer otherwise. To be called when the answer is out.
 */
export function endUnlessRead(raw: IncomingMessage, patience: number): void {
  if (raw.complete || raw.closed) return;
  const { socket } = raw;
  const overdue = setTimeout(() => {
    if (!raw.complete) socket.destroy();
  }, patience);
  const over = () => {
    clearTimeout(overdue);
    raw.off('close', over);
    socket.off('close', over);
  };
  raw.once('close', over);
  // Once it is answered, nobody closes a request whose connection ends.
  socket.once('close', over);
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
  { clock, headersOfUnreadable = () => [], patience = PATIENCE }: ConnectionsOptions,
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
    `Date: ${clock.now().toUTCString()}`,
    'X-Content-Type-Options: nosniff',
    ...headersOfUnreadable(),
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
