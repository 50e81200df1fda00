import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { pipeline, type Readable, Transform } from 'node:stream';
import { request as httpRequest } from '#runtime/node-http.ts';
import { isSecretName } from '#security/redaction.ts';
import {
  type CheckedUrl,
  checkUrl,
  getHost,
  getPort,
  OutboundFailure,
  type OutboundRules,
  type Resolver,
  systemResolver,
} from './check-url.ts';

/** The client for all outbound HTTP requests of Hearth, which go only to checked addresses. */
export interface Outbound {
  /**
   * Sends a request and follows redirects. Resolves with the head of the response, for any status; rejects with an
   * OutboundFailure. The caller must read or destroy the body, which also fails with an OutboundFailure.
   */
  request(outboundRequest: OutboundRequest): Promise<OutboundResponse>;
  /** Only checks a URL, for clients that connect themselves (git): they must connect to the returned addresses. */
  check(url: string | URL): Promise<CheckedUrl>;
}

interface OutboundRequest {
  readonly method?: string;
  /** Credentials before the host are not sent. */
  readonly url: string | URL;
  /** Headers with secrets (Authorization, Private-Token...) are dropped at a redirect to another origin. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Maximum number of redirects; default 2. One more is a failure. */
  readonly maxRedirects?: number;
  /** Milliseconds from the lookup of the host to the connection, per redirect; default 10 s. */
  readonly connectMs?: number;
  /** Milliseconds for all redirects, up to the end of the body; default 60 s. */
  readonly totalMs?: number;
  /** Maximum size of the body in bytes; the instance's setting applies as well. */
  readonly maxBytes?: number;
  /** For bodies that are streamed and not kept in memory: replaces the instance's setting. */
  readonly transfer?: { readonly maxBytes: number };
  readonly signal?: AbortSignal;
}

export interface OutboundResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The URL of the response, after redirects. */
  readonly url: URL;
  readonly body: Readable;
}

interface OutboundOptions {
  readonly rules: () => OutboundRules | Promise<OutboundRules>;
  readonly userAgent: string;
  readonly resolver?: Resolver;
}

export function createOutbound({ rules, userAgent, resolver = systemResolver }: OutboundOptions): Outbound {
  return {
    request: (outboundRequest) => followRedirects(outboundRequest, { rules, userAgent, resolver }),
    check: async (url) => checkUrl(url, await rules(), resolver),
  };
}

/** One request of a chain of redirects. */
interface Hop {
  readonly method: string;
  readonly url: string | URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer | undefined;
}

async function followRedirects(
  outboundRequest: OutboundRequest,
  options: Required<OutboundOptions>,
): Promise<OutboundResponse> {
  const limits = startTimeouts(outboundRequest);
  try {
    let { method = 'GET', url, headers = {}, body } = outboundRequest;
    for (let redirects = 0; ; redirects += 1) {
      const rules = await options.rules();
      const stopConnectTimeout = limits.startConnectTimeout();
      const checkedUrl = await limits.during(checkUrl(url, rules, options.resolver, limits.signal));
      const hop = { method, url, headers: { 'user-agent': options.userAgent, ...headers }, body };
      const message = await sendHop(hop, checkedUrl, limits.signal, stopConnectTimeout);
      const location = getRedirectLocation(message);
      if (location === null) return toResponse(message, checkedUrl.url, getByteLimit(outboundRequest, rules), limits);
      message.destroy();
      if (redirects >= (outboundRequest.maxRedirects ?? 2))
        throw new OutboundFailure('tooManyRedirects', 'Too many redirects');
      const target = URL.parse(location, checkedUrl.url.href);
      if (!target) throw new OutboundFailure('badAnswer', 'Redirected to something that is no URL');
      if (target.origin !== checkedUrl.url.origin) headers = removeSecretHeaders(headers);
      ({ method, headers, body } = toRedirectedRequest(message.statusCode!, { method, url: target, headers, body }));
      url = target;
    }
  } catch (error) {
    limits.done();
    throw limits.getFailure() ?? toOutboundFailure(error);
  }
}

interface TimeLimits {
  readonly signal: AbortSignal;
  /** Starts the connection timeout; the returned function stops it. */
  startConnectTimeout(): () => void;
  /** Returns the result of the promise, or rejects when a timeout expires first. */
  during<T>(promise: Promise<T>): Promise<T>;
  /** Returns the failure of the expired timeout, or null. */
  getFailure(): OutboundFailure | null;
  /** Stops all timeouts. */
  done(): void;
}

function startTimeouts({ totalMs = 60_000, connectMs = 10_000, signal: outerSignal }: OutboundRequest): TimeLimits {
  const controller = new AbortController();
  const { signal } = controller;
  const fail = (failure: OutboundFailure) => controller.abort(failure);
  const totalTimer = setTimeout(
    () => fail(new OutboundFailure('timeout', `No answer within ${totalMs / 1000} s`)),
    totalMs,
  );
  let connectTimer: NodeJS.Timeout | undefined;
  const onOuterAbort = () => fail(new OutboundFailure('aborted', 'The request was cancelled'));
  if (outerSignal?.aborted) onOuterAbort();
  outerSignal?.addEventListener('abort', onOuterAbort);
  return {
    signal,
    startConnectTimeout() {
      const onTimeout = () => fail(new OutboundFailure('timeout', `No connection within ${connectMs / 1000} s`));
      connectTimer = setTimeout(onTimeout, connectMs);
      return () => clearTimeout(connectTimer);
    },
    during: (promise) => {
      const { promise: aborted, reject } = Promise.withResolvers<never>();
      const stop = () => reject(signal.reason);
      if (signal.aborted) stop();
      else signal.addEventListener('abort', stop);
      return Promise.race([promise, aborted]).finally(() => signal.removeEventListener('abort', stop));
    },
    getFailure: () => (signal.aborted ? (signal.reason as OutboundFailure) : null),
    done() {
      clearTimeout(totalTimer);
      clearTimeout(connectTimer);
      outerSignal?.removeEventListener('abort', onOuterAbort);
    },
  };
}

/** Sends one request on a new connection: a reused one would lead to an address that was checked for another request. */
function sendHop(
  hop: Hop,
  checkedUrl: CheckedUrl,
  signal: AbortSignal,
  onConnected: () => void,
): Promise<IncomingMessage> {
  const { url, addresses } = checkedUrl;
  const contentLengthHeader = hop.body === undefined ? {} : { 'content-length': String(Buffer.byteLength(hop.body)) };
  const lookup: LookupFunction = (_host, options, callback) => {
    if (options.all) callback(null, [...addresses]);
    else callback(null, addresses[0]!.address, addresses[0]!.family);
  };
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const request: ClientRequest = send({
      method: hop.method,
      host: getHost(url),
      port: getPort(url),
      path: url.pathname + url.search,
      headers: { ...hop.headers, ...contentLengthHeader },
      lookup,
      signal,
      agent: false,
    });
    request.on('socket', (socket) => {
      socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', onConnected);
    });
    request.on('response', resolve);
    request.on('upgrade', (_message, socket) => {
      socket.destroy();
      reject(new OutboundFailure('badAnswer', 'The server switched to another protocol'));
    });
    limitInformationalResponses(request, () =>
      request.destroy(new OutboundFailure('badAnswer', 'The answer does not begin')),
    );
    request.on('error', reject);
    request.end(hop.body);
  });
}

function getRedirectLocation(message: IncomingMessage): string | null {
  const isRedirect = [301, 302, 303, 307, 308].includes(message.statusCode!);
  return isRedirect ? (message.headers.location ?? null) : null;
}

/** Returns the request after a redirect, as in browsers: 303, and 301 or 302 after POST, become GET without a body. */
function toRedirectedRequest(status: number, hop: Hop): Hop {
  const becomesGet =
    (status === 303 && hop.method !== 'HEAD') || ((status === 301 || status === 302) && hop.method === 'POST');
  if (!becomesGet) return hop;
  const remainingHeaders = Object.entries(hop.headers).filter(([name]) => !name.toLowerCase().startsWith('content-'));
  return { method: 'GET', url: hop.url, headers: Object.fromEntries(remainingHeaders), body: undefined };
}

function removeSecretHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !isSecretName(name)));
}

function getByteLimit({ maxBytes, transfer }: OutboundRequest, { maxResponseBytes }: OutboundRules): number {
  if (transfer !== undefined) return transfer.maxBytes;
  return Math.min(maxBytes ?? Number.POSITIVE_INFINITY, maxResponseBytes ?? Number.POSITIVE_INFINITY);
}

function toResponse(message: IncomingMessage, url: URL, maxBytes: number, limits: TimeLimits): OutboundResponse {
  const createFailure = () => new OutboundFailure('tooLarge', `The answer is longer than ${maxBytes} bytes`);
  if (Number(message.headers['content-length'] ?? 0) > maxBytes) {
    message.destroy();
    throw createFailure();
  }
  let receivedBytes = 0;
  const limitedStream = new Transform({
    transform(chunk: Buffer, _encoding, next) {
      receivedBytes += chunk.length;
      if (receivedBytes > maxBytes) next(createFailure());
      else next(null, chunk);
    },
    destroy(error, next) {
      next(error && (limits.getFailure() ?? toOutboundFailure(error)));
    },
  });
  // A caller that destroys the body does not listen for its errors.
  limitedStream.on('error', () => {});
  // The callback runs at the end in any case; the reader of `limitedStream` gets the failure.
  pipeline(message, limitedStream, () => limits.done());
  return { status: message.statusCode!, headers: message.headers, url, body: limitedStream };
}

function toOutboundFailure(error: unknown): OutboundFailure {
  if (error instanceof OutboundFailure) return error;
  const { code = '', message = '' } = error as NodeJS.ErrnoException;
  // Error codes of Node's HTTP parser.
  if (code.startsWith('HPE_')) return new OutboundFailure('badAnswer', 'The answer is not HTTP');
  return new OutboundFailure('unreachable', `The connection failed: ${code || message || 'unknown'}`);
}

/** Maximum number of 1xx responses before the final response; Node itself has no limit. */
const MAX_INFORMATIONAL_RESPONSES = 20;

/** Calls `tooMany` when a server sends too many 1xx responses. */
export function limitInformationalResponses(request: ClientRequest, tooMany: () => void): void {
  let informationalCount = 0;
  request.on('information', () => {
    informationalCount += 1;
    if (informationalCount === MAX_INFORMATIONAL_RESPONSES + 1) tooMany();
  });
}
