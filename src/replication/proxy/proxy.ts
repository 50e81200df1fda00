import {
  Agent,
  type ClientRequest,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { request as httpsRequest, Agent as TlsAgent } from 'node:https';
import { baseOf } from '#config.ts';
import { badRequestText } from '#http/errors/http-error.ts';
import { type Incoming, single } from '#http/request/incoming.ts';
import { hostOf, portOf } from '#outbound-http/check-url.ts';
import { watchNews } from '#outbound-http/informational-responses.ts';
import { createPlaces } from '#rate-limits/concurrency-slots.ts';
import { answerHeaders, hasBody, requestHeaders } from './headers.ts';
import { watchProgress } from './stall-timeout.ts';

/** Hands requests on to the primary and its answers back, both as they come. */
export interface PrimaryProxy {
  /**
   * Resolves when the answer is out, or nobody waits for it any more, with its status; `away`: the primary gives none, and nothing
   * was answered. Fails with `QueueFull` when too many are handed on already.
   */
  forward(
    request: Incoming,
    response: ServerResponse,
    more: Readonly<Record<string, string>>,
  ): Promise<number | 'away'>;
  close(): void;
}

/** Requests that are being handed on: each may last as long as its client likes. */
const PLACES = { each: 128, all: 512 };

/** How long a connection to the primary may take, in milliseconds. */
const CONNECT = 10_000;

/** How long the primary may think before it answers, in milliseconds. */
const THOUGHT = 300_000;

/** Connections that wait for the next request. */
const KEPT = 32;

/** Segments that lead upwards, out of the primary's own path. */
const UPWARDS = /(?:^|[/\\]|%2f|%5c)(?:\.|%2e){1,2}(?:[/\\;]|%2f|%5c|$)/i;

interface ProxyOptions {
  /** The primary's address at this moment. */
  readonly target: () => URL;
  /** From whom X-Forwarded-For counts. */
  readonly isTrusted: (address: string) => boolean;
  /** How long the primary may think, unless given. */
  readonly thought?: number | undefined;
}

export function createProxy({ target, isTrusted, thought = THOUGHT }: ProxyOptions): PrimaryProxy {
  const agents = { 'http:': new Agent(kept), 'https:': new TlsAgent(kept) };
  const freshAgents = { 'http:': new Agent(usedOnce), 'https:': new TlsAgent(usedOnce) };
  const places = createPlaces(PLACES);

  const send = (request: Incoming, fresh: boolean): ClientRequest => {
    const url = target();
    const raw = request.stream;
    const prefix = baseOf(url).slice(url.origin.length);
    if (prefix !== '' && UPWARDS.test(request.path)) throw badRequestText();
    const peer = raw.socket.remoteAddress ?? '';
    const before = isTrusted(peer) ? single(raw.headers['x-forwarded-for']) : undefined;
    const agent = (fresh ? freshAgents : agents)[url.protocol as keyof typeof agents];
    const options = {
      method: request.method,
      host: hostOf(url),
      port: portOf(url),
      path: prefix + request.path + (request.query === '' ? '' : `?${request.query}`),
      headers: requestHeaders(raw, url.host, before === undefined ? peer : `${before}, ${peer}`),
      setHost: false,
      agent,
    };
    return url.protocol === 'https:' ? httpsRequest(options) : httpRequest(options);
  };

  return {
    async forward(request, response, more) {
      const leave = await places.take(request.clientAddress, request.client);
      try {
        // A body can be sent once: its request does not go over a connection that may have ended by now.
        const again = !hasBody(request.stream) && (request.method === 'GET' || request.method === 'HEAD');
        const outcome = await exchange(send(request, !again), { request, response, more, thought });
        if (outcome !== 'stale') return outcome;
        const second = await exchange(send(request, true), { request, response, more, thought });
        return second === 'stale' ? 'away' : second;
      } finally {
        leave();
      }
    },
    close() {
      for (const each of [agents, freshAgents]) for (const agent of Object.values(each)) agent.destroy();
    },
  };
}

const kept = { keepAlive: true, maxFreeSockets: KEPT };
/** They say that they might be kept: who means to close may do so before he has heard all. */
const usedOnce = { keepAlive: true, maxFreeSockets: 0 };

interface Handing {
  readonly request: Incoming;
  readonly response: ServerResponse;
  readonly more: Readonly<Record<string, string>>;
  readonly thought: number;
}

/** One request to the primary. `stale`: its connection had ended before anything was said. */
function exchange(onward: ClientRequest, handing: Handing): Promise<number | 'away' | 'stale'> {
  const { request, response, thought } = handing;
  const raw = request.stream;
  return new Promise((resolve) => {
    let status: number | 'away' | 'stale' = 'away';
    const late = setTimeout(() => onward.destroy(), CONNECT);
    const watch = watchProgress({
      sockets: () => [raw.socket, onward.socket],
      patience: () => (response.headersSent || !raw.complete ? request.patience : thought),
      every: Math.min(request.patience, thought) / 4,
      stalled: () => {
        onward.destroy();
        // Half an answer, or half a request: nobody can go on from there.
        if (response.headersSent || !raw.complete) response.destroy();
      },
    });
    const settle = () => {
      clearTimeout(late);
      watch.end();
      response.off('close', left);
      raw.unpipe(onward).resume();
      // Flows at the next turn, and not at all any more when an answer has ended before.
      setImmediate(() => resolve(status));
    };
    const left = () => {
      if (!response.writableFinished) onward.destroy();
      settle();
    };
    response.once('close', left);
    onward.once('socket', (socket) => {
      if (!socket.connecting) clearTimeout(late);
      else socket.once('connect', () => clearTimeout(late));
    });
    watchNews(onward, () => onward.destroy());
    onward.on('error', () => {
      if (response.headersSent) return;
      if (onward.reusedSocket) status = 'stale';
      settle();
    });
    onward.on('close', () => {
      // Who has answered may read no more: the client comes to its end, and hears the answer.
      if (response.headersSent && !raw.complete) raw.unpipe(onward).resume();
    });
    onward.on('upgrade', (_answer, socket) => {
      socket.destroy();
      settle();
    });
    onward.on('response', (answer) => {
      status = answer.statusCode!;
      handBack(answer, handing);
    });
    if (hasBody(raw)) raw.pipe(onward);
    else onward.end();
    if (response.destroyed) left();
  });
}

function handBack(answer: IncomingMessage, { request, response, more }: Handing): void {
  const raw = request.stream;
  const headers = [...answerHeaders(answer), ...Object.entries(more).flat()];
  answer.on('error', () => response.destroy());
  try {
    response.writeHead(answer.statusCode!, answer.statusMessage, headers);
  } catch {
    // What is no answer is handed to nobody.
    answer.destroy();
    response.destroy();
    return;
  }
  response.flushHeaders();
  answer.pipe(response, { end: false });
  answer.once('end', () => {
    // An early answer ends with its request: its connection may end with it, under a client that is still sending.
    if (raw.complete) response.end();
    else for (const event of ['end', 'close'] as const) raw.once(event, () => response.end());
  });
  // Half an answer must not look like a whole one.
  answer.once('close', () => answer.complete || response.destroy());
}
