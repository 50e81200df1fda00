import { once } from 'node:events';
import { connect } from 'node:net';
import { after } from 'node:test';
import { loadConfig } from '#config.ts';
import { createGit } from '#git/git.ts';
import type { EndpointDefinition } from '#http/endpoint/endpoint.ts';
import { resourceModule } from '#http/endpoint/resource-module.ts';
import { createTransport, type Transport, type TransportOptions } from '#http/server/connection/transport.ts';
import { createRegistry, type Registry } from '#http/server/routing/registry.ts';
import type { Services } from '#http/services.ts';
import { createLog } from '#runtime/log.ts';
import { createMetrics } from '#runtime/metrics.ts';
import { testDatabase } from '../engines/engine.ts';
import { type Caller, createCaller } from './caller.ts';
import { testClock } from './test-clock.ts';

/** The HTTP layer with the endpoints of a test and an empty database. Callers are anonymous. */
export interface MinimalServer {
  readonly address: string;
  readonly registry: Registry;
  readonly anonymous: Caller;
  /** Writes this text to a new connection and returns what the server sends until it closes the connection. */
  raw(text: string): Promise<string>;
  readonly transport: Transport;
  /** Returns the log written so far, one JSON object a line. */
  logged(): string;
  stop(): Promise<void>;
}

export interface MinimalServerOptions extends Pick<TransportOptions, 'idleTimeoutMs' | 'graceMs'> {
  readonly env?: Readonly<Record<string, string>>;
}

const endings: (() => Promise<void>)[] = [];

// Registered at the top of the module, so that the hook belongs to the file and not to its first test.
after(async () => {
  for (const end of endings) await end();
});

export async function startMinimalServer(
  endpoints: Readonly<Record<string, EndpointDefinition>>,
  { env = {}, ...transportOptions }: MinimalServerOptions = {},
): Promise<MinimalServer> {
  const registry = createRegistry({ small: resourceModule({ endpoints }) });
  const lines: string[] = [];
  const config = loadConfig(env);
  const clock = testClock();
  const log = createLog(config, { clock, destination: { write: (line: string) => void lines.push(line) } });
  const metrics = createMetrics();
  const database = await testDatabase({ clock });
  const git = createGit({ storages: {}, clock });
  const services = { config, clock, log, metrics, database, git } as unknown as Services;
  const addressing = {
    externalUrl: config.externalUrl === null ? null : String(config.externalUrl).replace(/\/$/, ''),
    trustedProxies: [],
  };
  const transport = createTransport({
    registry,
    services,
    addressing,
    metrics,
    ...transportOptions,
  });
  const address = await transport.listen({ host: '127.0.0.1', port: 0 });
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= transport.close().then(() => database.close());
    return stopped;
  };
  endings.push(stop);
  return {
    address,
    registry,
    anonymous: createCaller({ address, registry }, { id: 0, username: '', token: null }),
    transport,
    raw: (text) => exchange(address, text),
    logged: () => lines.join(''),
    stop,
  };
}

async function exchange(address: string, text: string): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(address).port) });
  let answer = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    answer += chunk;
  });
  socket.on('error', () => {});
  socket.write(text);
  await once(socket, 'close');
  return answer;
}
