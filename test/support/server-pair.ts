import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Server } from '#server.ts';

/** Two servers that look like one: the first of them, at an address that deals both the requests in turn. */
export interface Pair {
  readonly server: Server;
  /** Stops the dealer and the second server. */
  part(): Promise<void>;
}

export async function pairUp(first: Server, second: Server): Promise<Pair> {
  const dealer = await startDealer([first.address, second.address]);
  return {
    server: { ...first, address: dealer.address },
    async part() {
      await dealer.stop();
      await second.stop();
      assert.equal(second.services.git.processes.children.size, 0, 'git processes of the second server are left');
    },
  };
}

export interface Dealer {
  readonly address: string;
  /** Deals to these from now on. */
  deal(addresses: readonly string[]): void;
  stop(): Promise<void>;
}

/** Hands each request to the next of the servers, as it is. */
export async function startDealer(servers: readonly string[]): Promise<Dealer> {
  let addresses = servers;
  let turn = 0;
  const agent = new Agent({ keepAlive: true });
  const hand = (incoming: IncomingMessage, outgoing: ServerResponse) =>
    handOn(agent, addresses[turn++ % addresses.length]!, incoming, outgoing);
  const dealer = createServer({ requestTimeout: 0, keepAliveTimeout: 60_000 }, hand);
  dealer.on('checkContinue', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    outgoing.writeContinue();
    hand(incoming, outgoing);
  });
  dealer.listen(0, '127.0.0.1');
  await once(dealer, 'listening');
  return {
    address: `http://127.0.0.1:${(dealer.address() as AddressInfo).port}`,
    deal(others) {
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

function handOn(agent: Agent, address: string, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { hostname, port } = new URL(address);
  const { method, url: path } = incoming;
  let answered = false;
  const onward = request({ agent, hostname, port, method, path, headers: withoutExpectation(incoming) }, (answer) => {
    answered = true;
    outgoing.writeHead(answer.statusCode!, answer.statusMessage, answer.rawHeaders);
    answer.pipe(outgoing, { end: false });
    // An early one ends with its request: its connection may end with it, under a client that is still sending.
    answer.on('end', () => (incoming.complete ? outgoing.end() : incoming.once('close', () => outgoing.end())));
    answer.on('error', () => outgoing.destroy());
  });
  onward.on('error', () => {
    // A server that is gone has no answer to hand back: neither has the dealer. One that has answered reads no more.
    if (answered) incoming.unpipe(onward).resume();
    else outgoing.destroy();
  });
  outgoing.on('close', () => outgoing.writableFinished || onward.destroy());
  incoming.pipe(onward);
}

/** As they came, in a form that Node takes; the dealer has said 100 already. */
function withoutExpectation({ headersDistinct }: IncomingMessage): Record<string, string | string[]> {
  const entries = Object.entries(headersDistinct).filter(([name]) => name !== 'expect');
  return Object.fromEntries(entries.map(([name, values = []]) => [name, values.length === 1 ? values[0]! : values]));
}
