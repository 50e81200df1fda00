import { Agent, get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

// The well-behaved client beside an attack, in a thread of its own: what the attacker does to make its bodies, a second of
// compressing or so, is no wait for the server.

/** What it is told to know. */
export interface Manners {
  /** The whole address that it asks for. */
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
}

export type Bidding = 'begin' | 'end';

/** What it says when it has ended. */
export interface Waited {
  /** Milliseconds. */
  readonly longestWait: number;
  /** What was answered besides 200, or why nothing was. */
  readonly wrong?: string;
}

/**
 * Milliseconds between two questions of the polite client: one without them would be a load, not a measure. Whoever waits for
 * a second is found by a few questions a second as well as by many; the breath counts as waiting.
 */
const BREATH = 25;

const { address, headers } = workerData as Manners;
let asking = Promise.resolve<Waited>({ longestWait: 0 });
let ending = false;

/** Asks one simple question after the other, until it is told to end. */
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
