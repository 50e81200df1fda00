import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Server } from '#server.ts';

/** Two servers behind a load balancer: the first server, with the address of the balancer. */
export interface ServerPair {
  readonly server: Server;
  /** Stops the load balancer and the second server. */
  stop(): Promise<void>;
}

export async function createServerPair(first: Server, second: Server): Promise<ServerPair> {
  const dealer = await startLoadBalancer([first.address, second.address]);
  return {
    server: { ...first, address: dealer.address },
    async stop() {
      await dealer.stop();
      await second.stop();
      assert.equal(second.services.git.processes.children.size, 0, 'git processes of the second server are left');
    },
  };
}

export interface LoadBalancer {
  readonly address: string;
  /** Replaces the servers that receive further requests. */
  setTargets(addresses: readonly string[]): void;
  stop(): Promise<void>;
}

/** Starts a proxy that distributes requests round-robin and forwards them unchanged. */
export async function startLoadBalancer(servers: readonly string[]): Promise<LoadBalancer> {
  let addresses = servers;
  let turn = 0;
  const agent = new Agent({ keepAlive: true });
  const hand = (incoming: IncomingMessage, outgoing: ServerResponse) =>
    forwardRequest(agent, addresses[turn++ % addresses.length]!, incoming, outgoing);
  const dealer = createServer({ requestTimeout: 0, keepAliveTimeout: 60_000 }, hand);
  dealer.on('checkContinue', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    outgoing.writeContinue();
    hand(incoming, outgoing);
  });
  dealer.listen(0, '127.0.0.1');
  await once(dealer, 'listening');
  return {
    address: `http://127.0.0.1:${(dealer.address() as AddressInfo).port}`,
    setTargets(others) {
      addresses = others;
    },
    async stop() {
      const closed = once(dealer, 'close');
      dealer.close();
      dealer.closeAllConnections();
      await closed;
      agent.destroy();
    },
  };
}

function forwardRequest(agent: Agent, address: string, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { hostname, port } = new URL(address);
  const { method, url: path } = incoming;
  let answered = false;
  const onward = request({ agent, hostname, port, method, path, headers: withoutExpectation(incoming) }, (answer) => {
    answered = true;
    outgoing.writeHead(answer.statusCode!, answer.statusMessage, answer.rawHeaders);
    answer.pipe(outgoing, { end: false });
    // An early response ends only after its request: otherwise the connection may close while the client still sends.
    answer.on('end', () => (incoming.complete ? outgoing.end() : incoming.once('close', () => outgoing.end())));
    answer.on('error', () => outgoing.destroy());
  });
  onward.on('error', () => {
    // The server is down: without a response the client's connection closes. After a response, the rest of the body is discarded.
    if (answered) incoming.unpipe(onward).resume();
    else outgoing.destroy();
  });
  outgoing.on('close', () => outgoing.writableFinished || onward.destroy());
  incoming.pipe(onward);
}

/** Returns the headers without `Expect`: the balancer has already sent 100 Continue. */
function withoutExpectation({ headersDistinct }: IncomingMessage): Record<string, string | string[]> {
  const entries = Object.entries(headersDistinct).filter(([name]) => name !== 'expect');
  return Object.fromEntries(entries.map(([name, values = []]) => [name, values.length === 1 ? values[0]! : values]));
}
