import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Clock } from '#runtime/clock.ts';
import type { RequestClient } from '#runtime/concurrency-limiter.ts';
import { createRequestQueue } from './request-order.ts';

/** The connections of a server: receives requests in order and closes connections. Responses are made by `exchange`. */
export interface Connections {
  readonly server: Server;
  /** Starts to listen. Returns the address, `http://127.0.0.1:8080`. */
  listen(place: { readonly host: string; readonly port: number }): Promise<string>;
  /** Accepts no new connections, finishes the running requests and closes; cuts off requests after the grace period. */
  close(): Promise<void>;
}

interface ConnectionsOptions {
  /** Answers one request. Resolves when the response is complete, and never rejects. */
  readonly exchange: (raw: IncomingMessage, response: ServerResponse, client: RequestClient) => Promise<void>;
  /** The network of the client that sent a request. */
  readonly networkOf: (raw: IncomingMessage) => string;
  readonly clock: Clock;
  /** Additional headers of the response to unreadable requests. */
  readonly headersOfUnreadable?: () => readonly string[];
  /** How long a client may keep its connection open after an unreadable request, in milliseconds. */
  readonly idleTimeout?: number | undefined;
  /** How long running requests may take when the server stops, in milliseconds; 25 s by default. */
  readonly grace?: number | undefined;
}

/** Less than the 30 s after which process managers kill a server. */
const SHUTDOWN_GRACE_MS = 25_000;

/** How long an idle connection is kept open: longer than proxies keep theirs. */
const KEEP_ALIVE_MS = 72_000;

/** How long a request or response body may be idle by default. */
export const DEFAULT_IDLE_TIMEOUT_MS = 60_000;

export function createConnections(options: ConnectionsOptions): Connections {
  // Bodies have their own limits and timers; a clone or push may take as long as data flows.
  const server = createServer({
    requestTimeout: 0,
    headersTimeout: 60_000,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Stage 1 rejects a missing Host in the form of the contract.
    requireHostHeader: false,
  });
  /** The responses in progress. When the last one is done, a stopping server closes all connections. */
  const running = new Set<ServerResponse>();
  let closing = false;
  const answering = new WeakMap<Socket, ServerResponse>();
  const begin = (raw: IncomingMessage, response: ServerResponse) => {
    running.add(response);
    if (closing) closeAfterResponse(response);
    answering.set(raw.socket, response);
    const client = new ConnectedClient(response, options.networkOf, () => {
      running.delete(response);
      if (closing && running.size === 0) server.closeAllConnections();
    });
    response.once('close', () => queue.startNext(raw.socket));
    options.exchange(raw, response, client).finally(client.answered);
  };
  const queue = createRequestQueue(begin);
  for (const event of ['request', 'checkExpectation'] as const) {
    server.on(event, (raw: IncomingMessage, response: ServerResponse) => {
      if (!queue.enqueue(raw, response)) begin(raw, response);
    });
  }
  server.on('clientError', (error: { readonly code?: string }, socket: Socket) => {
    if (awaitsOtherResponse(answering.get(socket))) socket.destroy();
    else rejectUnreadable(error, socket, options);
  });
  return {
    server,
    async listen({ host, port }) {
      server.listen(port, host);
      await once(server, 'listening');
      return formatAddress(server.address() as AddressInfo);
    },
    async close() {
      closing = true;
      for (const response of running) closeAfterResponse(response);
      const closed = new Promise((resolve) => server.close(resolve));
      if (running.size === 0) server.closeAllConnections();
      // A client that does not read its response would keep the server running.
      const overdue = setTimeout(() => server.closeAllConnections(), options.grace ?? SHUTDOWN_GRACE_MS);
      await closed;
      clearTimeout(overdue);
    },
  };
}

function closeAfterResponse(response: ServerResponse): void {
  if (!response.headersSent) response.shouldKeepAlive = false;
}

function formatAddress({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

/**
 * The client of one request. A class, because one is created per request and closures would cost as much as routing. The
 * AbortSignal is created on demand, because it costs more than most responses.
 */
class ConnectedClient implements RequestClient {
  isDisconnected = false;
  readonly answered: () => void;
  #controller: AbortController | undefined;
  // A request is finished when its work is done and its response is sent, whichever comes last.
  #open = 2;
  readonly #landed: () => void;
  readonly #response: ServerResponse;
  readonly #networkOf: (raw: IncomingMessage) => string;
  #network: string | undefined;
  #stall: { readonly bytes: number; readonly since: number } | undefined;

  constructor(response: ServerResponse, networkOf: (raw: IncomingMessage) => string, landed: () => void) {
    this.#response = response;
    this.#networkOf = networkOf;
    this.#landed = landed;
    this.answered = () => this.#half();
    response.once('close', () => {
      this.isDisconnected = !response.writableFinished;
      if (this.isDisconnected) this.#controller?.abort();
      this.#half();
    });
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.isDisconnected) this.#controller.abort();
    return this.#controller.signal;
  }

  get network(): string {
    this.#network ??= this.#networkOf(this.#response.req);
    return this.#network;
  }

  measureStall(): number {
    const { req, writableNeedDrain, writableEnded, writableFinished } = this.#response;
    const isSilent = !req.complete && req.readableLength === 0;
    const isUnread = writableNeedDrain || (writableEnded && !writableFinished);
    if (!isSilent && !isUnread) {
      this.#stall = undefined;
      return 0;
    }
    const bytes = req.socket.bytesRead + req.socket.bytesWritten;
    const now = performance.now();
    if (this.#stall?.bytes !== bytes) this.#stall = { bytes, since: now };
    return now - this.#stall.since;
  }

  disconnect(): void {
    this.#response.destroy();
  }

  #half(): void {
    this.#open--;
    if (this.#open === 0) this.#landed();
  }
}

/**
 * Keeps receiving a request for `idleTimeout` milliseconds after its response, then closes the connection: a client that reads
 * only after sending everything would lose the response otherwise. To be called when the response is sent.
 */
export function closeUnlessFullyRead(raw: IncomingMessage, idleTimeout: number): void {
  if (raw.complete || raw.closed) return;
  const { socket } = raw;
  const overdue = setTimeout(() => {
    if (!raw.complete) socket.destroy();
  }, idleTimeout);
  const over = () => {
    clearTimeout(overdue);
    raw.off('close', over);
    socket.off('close', over);
  };
  raw.once('close', over);
  // After the response Node does not close a request whose connection ends.
  socket.once('close', over);
}

/**
 * Whether the client would take an error response now for the response to an earlier, complete request. A request whose body
 * ends in invalid data is not complete.
 */
function awaitsOtherResponse(response: ServerResponse | undefined): boolean {
  if (response === undefined || response.writableFinished) return false;
  return response.headersSent || response.req.complete;
}

/** Rejects a request that is not valid HTTP, for example with a NUL in a header (contract/conventions.md §1 stage 1). */
function rejectUnreadable(
  error: { readonly code?: string },
  socket: Socket,
  { clock, headersOfUnreadable = () => [], idleTimeout = DEFAULT_IDLE_TIMEOUT_MS }: ConnectionsOptions,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = UNREADABLE_STATUS[error.code ?? ''] ?? '400 Bad Request';
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
  // A client that does not end its half would keep the connection open: no other timer applies.
  socket.setTimeout(idleTimeout, () => socket.destroy());
}

const UNREADABLE_STATUS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};
