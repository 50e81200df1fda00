import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { badRequestText, HttpError, serverError, unavailable } from '#http/errors/http-error.ts';
import { type Addressing, hasHost, type Incoming, incoming } from '#http/request/incoming.ts';
import { type Connections, createConnections, endUnlessRead, PATIENCE } from '#http/server/connection/connections.ts';
import { CLIENT_GONE, tell } from '#http/server/connection/request-log.ts';
import { type Outgoing, refusalReply } from '#http/server/response/response.ts';
import { send } from '#http/server/response/send.ts';
import type { Services } from '#http/services.ts';
import { type Client, QueueFull, WaiterGone } from '#runtime/concurrency-limiter.ts';
import type { PrimaryProxy } from '../proxy/proxy.ts';

interface TransportOptions {
  readonly services: Pick<Services, 'clock' | 'log' | 'metrics'>;
  readonly addressing: Addressing;
  readonly proxy: PrimaryProxy;
  /** The answer to what is answered here; null: the primary has it. */
  readonly answer: (request: Incoming) => Promise<Outgoing | null>;
  /** The answer in the place of a primary that is away; null: there is none. */
  readonly whileAway: (request: Incoming) => Promise<Outgoing | null>;
  /** Told of each that is handed on. */
  readonly handedOn: (request: Incoming) => void;
  readonly siteName: () => string;
  /** How long a body may stand still on its way in or out, in milliseconds; 60 s unless given. */
  readonly patience?: number | undefined;
}

/** HTTP in and out of a secondary: what it answers itself, and what it hands on. */
export function createTransport(options: TransportOptions): Connections {
  return createConnections({
    exchange: (raw, response, client) => exchange(options, raw, response, client),
    clock: options.services.clock,
    headersOfUnreadable: () => [`X-Hearth-Site: ${headerText(options.siteName())}`, 'X-Hearth-Proxied: false'],
    patience: options.patience,
  });
}

async function exchange(
  options: TransportOptions,
  raw: IncomingMessage,
  response: ServerResponse,
  client: Client,
): Promise<void> {
  const { services, patience = PATIENCE } = options;
  const started = performance.now();
  const request = incoming(raw, { id: randomUUID(), patience, client }, options.addressing);
  try {
    const { status, endpoint } = await answered(options, request, response);
    endUnlessRead(raw, patience);
    tell(services, request, { endpoint, status: client.gone ? CLIENT_GONE : status, started });
  } catch (error) {
    services.log.error({ err: error }, 'A request could not be answered');
    response.destroy();
  }
}

async function answered(options: TransportOptions, request: Incoming, response: ServerResponse) {
  const { services, proxy, answer, whileAway, handedOn, siteName } = options;
  const site = { 'X-Hearth-Site': headerText(siteName()) };
  const here = async (outgoing: Outgoing, proxied = false) => {
    const headers = { ...outgoing.headers, ...site, 'X-Hearth-Proxied': String(proxied) };
    await send(request, { ...outgoing, headers }, response, services);
    return { status: outgoing.status, endpoint: proxied ? 'proxied' : 'local' };
  };
  try {
    const refusal = refusalOf(request);
    if (refusal !== null) return await here(refusalReply(refusal));
    const own = await answer(request);
    if (own !== null) return await here(own);
    handedOn(request);
    const status = await proxy.forward(request, response, { ...site, 'X-Hearth-Proxied': 'true' });
    if (status !== 'away') return { status, endpoint: 'proxied' };
    if (request.client.gone) return { status: CLIENT_GONE, endpoint: 'proxied' };
    const instead = await whileAway(request);
    return instead === null ? await here(refusalReply(unavailable()), true) : await here(instead);
  } catch (error) {
    if (error instanceof WaiterGone || response.headersSent) {
      response.destroy();
      return { status: CLIENT_GONE, endpoint: 'none' };
    }
    return here(refusalReply(refusalFor(error, options, request)));
  }
}

function refusalFor(error: unknown, { services }: TransportOptions, request: Incoming): HttpError {
  if (error instanceof HttpError) return error;
  if (error instanceof QueueFull) return unavailable(error.retryAfter);
  if (!request.client.gone) services.log.error({ request: request.id, err: error }, 'A request failed');
  return serverError();
}

/** Round and round: a secondary of a secondary, or of itself. */
const loopDetected = () => new HttpError(508, { message: '508 Loop Detected' });

/** What is handed on to nobody. */
function refusalOf(request: Incoming): HttpError | null {
  if (!hasHost(request) || !request.path.startsWith('/')) return badRequestText();
  return request.headers['x-hearth-proxied'] === undefined ? null : loopDetected();
}

/** A name may be of any characters, a header's value of some. */
function headerText(name: string): string {
  return name.toWellFormed().replace(/[^\x20-\x7e]+/g, (part) => encodeURIComponent(part));
}
