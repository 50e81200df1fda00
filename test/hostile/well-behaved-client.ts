import { Agent, get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

// The well-behaved client during an attack. It has its own thread, so that the attacker's preparation of bodies (compression
// can take a second) does not count as waiting for the server.

/** The input of the thread. */
export interface Manners {
  /** The full URL that it requests. */
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
}

export type Bidding = 'begin' | 'end';

/** The result that it posts when it stops. */
export interface Waited {
  /** Milliseconds. */
  readonly longestWait: number;
  /** The responses other than 200, and the errors of requests without a response. */
  readonly wrong?: string;
}

/**
 * Milliseconds between two requests of the well-behaved client, so that it causes no load itself. A few requests a second
 * detect a wait of a second; this pause counts as waiting.
 */
const BREATH = 25;

const { address, headers } = workerData as Manners;
let asking = Promise.resolve<Waited>({ longestWait: 0 });
let ending = false;

/** Sends one simple request after the other until it is stopped. */
async function askOn(): Promise<Waited> {
  const agent = new Agent({ keepAlive: true });
  let longestWait = 0;
  try {
    let since = performance.now();
    while (!ending) {
      const status = await ask(agent);
      if (status !== 200) return { longestWait, wrong: `answered ${status}` };
      const now = performance.now();
      longestWait = Math.max(longestWait, now - since);
      since = now;
      await pause(BREATH);
    }
    return { longestWait };
  } catch (error) {
    return { longestWait, wrong: String(error) };
  } finally {
    agent.destroy();
  }
}

function ask(agent: Agent): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  const request = get(address, { agent, headers }, (response) => {
    response.resume();
    response.on('error', reject);
    response.on('end', () => resolve(response.statusCode));
  });
  request.on('error', reject);
  return promise;
}

parentPort!.on('message', (bidding: Bidding) => {
  ending = bidding === 'end';
  if (!ending) asking = askOn();
  else void asking.then((waited) => parentPort!.postMessage(waited));
});
