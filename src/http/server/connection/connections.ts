import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { IncomingRequest } from '#http/request/incoming.ts';
import type { Clock } from '#runtime/clock.ts';
import type { RequestClient } from '#runtime/concurrency-limiter.ts';
import type { Log } from '#runtime/log.ts';
import type { Metrics } from '#runtime/metrics.ts';
import { createServer } from '#runtime/node-http.ts';
import { redactUrl } from '#security/redaction.ts';

/** Connections of a server: receives requests in order and closes connections. `exchange` creates the responses. */
export interface Connections {
  readonly server: Server;
  /** Starts to listen. Returns the address, `http://127.0.0.1:8080`. */
  listen(address: { readonly host: string; readonly port: number }): Promise<string>;
  /**
   * Accepts no new connections, finishes the running requests and closes. Cuts off requests after the grace period, and returns
   * their number.
   */
  close(): Promise<number>;
}

interface ConnectionsOptions {
  /** Responds to one request. Resolves when the response is complete, and never rejects. */
  readonly respond: (raw: IncomingMessage, response: ServerResponse, client: RequestClient) => Promise<void>;
  /** Returns the network of the client that sent a request. */
  readonly getNetwork: (raw: IncomingMessage) => string;
  readonly clock: Clock;
  /** Returns additional headers of the response to unreadable requests. */
  readonly getUnreadableRequestHeaders?: () => readonly string[];
  /** Timeout of a connection after an unreadable request, in milliseconds. */
  readonly idleTimeoutMs?: number | undefined;
  /** Grace period for running requests when the server stops, in milliseconds; 8 s by default. */
  readonly graceMs?: number | undefined;
}

/** Default grace period; shorter than the 10 s after which Docker kills a server. */
const SHUTDOWN_GRACE_MS = 8_000;

/** Time for which an idle connection is kept open; longer than proxies keep theirs open. */
const KEEP_ALIVE_MS = 72_000;

/** Default timeout of an idle request or response body. */
export const DEFAULT_IDLE_TIMEOUT_MS = 60_000;

export function createConnections(options: ConnectionsOptions): Connections {
  // Bodies have their own limits and timers; a clone or push may take as long as data flows.
  const server = createServer({
    requestTimeout: 0,
    headersTimeout: 60_000,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Stage 1 rejects a missing Host with the response that the contract defines.
    requireHostHeader: false,
  });
  /** The responses in progress. When the last one is done, a stopping server closes all connections. */
  const activeResponses = new Set<ServerResponse>();
  let isClosing = false;
  const latestResponseBySocket = new WeakMap<Socket, ServerResponse>();
  const startExchange = (raw: IncomingMessage, response: ServerResponse) => {
    activeResponses.add(response);
    if (isClosing) closeAfterResponse(response);
    latestResponseBySocket.set(raw.socket, response);
    const client = new ConnectedClient(response, options.getNetwork, () => {
      activeResponses.delete(response);
      if (isClosing && activeResponses.size === 0) server.closeAllConnections();
    });
    response.once('close', () => queue.startNext(raw.socket));
    options.respond(raw, response, client).finally(client.markAnswered);
  };
  const queue = createRequestQueue(startExchange);
  // Without a listener for `checkExpectation`, Node would answer with 417 itself.
  for (const event of ['request', 'checkExpectation'] as const) {
    server.on(event, (raw: IncomingMessage, response: ServerResponse) => {
      if (!queue.enqueue(raw, response)) startExchange(raw, response);
    });
  }
  server.on('clientError', (error: { readonly code?: string }, socket: Socket) => {
    if (awaitsOtherResponse(latestResponseBySocket.get(socket))) socket.destroy();
    else rejectUnreadable(error, socket, options);
  });
  return {
    server,
    async listen({ host, port }) {
      server.listen(port, host);
      await once(server, 'listening');
      const bound = server.address() as AddressInfo;
      return `http://${bound.family === 'IPv6' ? `[${bound.address}]` : bound.address}:${bound.port}`;
    },
    async close() {
      isClosing = true;
      for (const response of activeResponses) closeAfterResponse(response);
      const serverClosed = new Promise((resolve) => server.close(resolve));
      if (activeResponses.size === 0) server.closeAllConnections();
      // A client that does not read its response would keep the server running.
      let interruptedCount = 0;
      const timer = setTimeout(() => {
        interruptedCount = activeResponses.size;
        server.closeAllConnections();
      }, options.graceMs ?? SHUTDOWN_GRACE_MS);
      await serverClosed;
      clearTimeout(timer);
      return interruptedCount;
    },
  };
}

/** Closes the connection after the response, unless its headers have promised to keep it open. */
function closeAfterResponse(response: ServerResponse): void {
  if (!response.headersSent) response.shouldKeepAlive = false;
}

/**
 * The client of one request. A class, because one is created per request and closures would cost as much as routing. The
 * AbortSignal is created on demand, because it costs more than most responses.
 */
class ConnectedClient implements RequestClient {
  isDisconnected = false;
  readonly markAnswered: () => void;
  #controller: AbortController | undefined;
  // Two parts: the work for the request, and sending the response. Either may end last.
  #pendingParts = 2;
  readonly #onComplete: () => void;
  readonly #response: ServerResponse;
  readonly #getNetwork: (raw: IncomingMessage) => string;
  #network: string | undefined;
  /** The transferred bytes when the connection was last seen to stall, and the time since when. */
  #stall: { readonly bytes: number; readonly since: number } | undefined;

  constructor(response: ServerResponse, getNetwork: (raw: IncomingMessage) => string, onComplete: () => void) {
    this.#response = response;
    this.#getNetwork = getNetwork;
    this.#onComplete = onComplete;
    this.markAnswered = () => this.#completePart();
    response.once('close', () => {
      this.isDisconnected = !response.writableFinished;
      if (this.isDisconnected) this.#controller?.abort();
      this.#completePart();
    });
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.isDisconnected) this.#controller.abort();
    return this.#controller.signal;
  }

  get network(): string {
    this.#network ??= this.#getNetwork(this.#response.req);
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

  #completePart(): void {
    this.#pendingParts--;
    if (this.#pendingParts === 0) this.#onComplete();
  }
}

/**
 * Keeps receiving a request for `idleTimeoutMs` after its response, then closes the connection: a client that reads only after
 * sending everything would lose the response otherwise. To be called when the response is sent.
 */
export function closeUnlessFullyRead(raw: IncomingMessage, idleTimeoutMs: number): void {
  if (raw.complete || raw.closed) return;
  const { socket } = raw;
  const timer = setTimeout(() => {
    if (!raw.complete) socket.destroy();
  }, idleTimeoutMs);
  const cleanUp = () => {
    clearTimeout(timer);
    raw.off('close', cleanUp);
    socket.off('close', cleanUp);
  };
  raw.once('close', cleanUp);
  // After the response Node does not close a request whose connection ends.
  socket.once('close', cleanUp);
}

/**
 * Returns whether the client would take an error response now for the response to an earlier, complete request. A
 * request whose body ends in invalid data is not complete.
 */
function awaitsOtherResponse(response: ServerResponse | undefined): boolean {
  if (response === undefined || response.writableFinished) return false;
  return response.headersSent || response.req.complete;
}

/** Rejects a request that is not valid HTTP, for example with a NUL in a header (contract/conventions.md §1 stage 1). */
function rejectUnreadable(
  error: { readonly code?: string },
  socket: Socket,
  { clock, getUnreadableRequestHeaders = () => [], idleTimeoutMs = DEFAULT_IDLE_TIMEOUT_MS }: ConnectionsOptions,
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
    ...getUnreadableRequestHeaders(),
    'Connection: close',
  ];
  socket.end(`${headers.join('\r\n')}\r\n\r\n${body}`);
  // No other timer applies to a client that does not close its half of the connection.
  socket.setTimeout(idleTimeoutMs, () => socket.destroy());
}

/** Error code of Node's HTTP parser -> status line of the response. */
const UNREADABLE_STATUS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/**
 * A queue of pipelined requests: those received before the response to an earlier request on the same connection was
 * sent. Node emits them immediately, and does not report the end of the connection to waiting ones. So each request starts
 * after the previous response, and waiting requests are dropped with their connection.
 */
interface RequestQueue {
  /** Queues a request that must wait and returns true; returns false if it can start now. */
  enqueue(raw: IncomingMessage, response: ServerResponse): boolean;
  /** Starts the next request after a response on this connection was sent, or was given up. */
  startNext(connection: Socket): void;
}

/** Maximum number of waiting requests; connections with more are closed. */
const MAX_PIPELINED = 100;

type StartRequest = (raw: IncomingMessage, response: ServerResponse) => void;

function createRequestQueue(start: StartRequest): RequestQueue {
  const waitingBySocket = new Map<Socket, Parameters<StartRequest>[]>();
  return {
    enqueue(raw, response) {
      // Node assigns the socket to a response when it is the next to be sent.
      if (response.socket !== null) return false;
      const queue = waitingBySocket.get(raw.socket) ?? [];
      waitingBySocket.set(raw.socket, queue);
      queue.push([raw, response]);
      if (queue.length > MAX_PIPELINED) raw.socket.destroy();
      return true;
    },
    startNext(connection) {
      const next = waitingBySocket.get(connection)?.shift();
      if (next === undefined || connection.destroyed) waitingBySocket.delete(connection);
      else start(...next);
    },
  };
}

/** The logged status of a request whose client disconnected before the response; nginx uses the same number. */
export const CLIENT_DISCONNECTED = 499;

interface CompletedRequest {
  /** Name of the endpoint; `none` if the server rejected the request before routing. */
  readonly endpoint: string;
  readonly status: number;
  /** The start, as `performance.now()`. */
  readonly startedAt: number;
}

/** Records a completed request in the log and the metrics. */
export function recordRequest(
  { log, metrics }: { readonly log: Log; readonly metrics: Metrics },
  request: IncomingRequest,
  { endpoint, status, startedAt }: CompletedRequest,
): void {
  const seconds = (performance.now() - startedAt) / 1000;
  metrics.recordRequest({ endpoint, method: request.method, status, seconds });
  log.request({
    request: request.id,
    method: request.method,
    url: redactUrl(request.query === '' ? request.path : `${request.path}?${request.query}`),
    endpoint,
    status,
    milliseconds: Math.round(seconds * 1000),
    address: request.clientAddress,
  });
}
