import { Agent, get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

// The well-behaved client during an attack. It has its own thread, so that the attacker's preparation of bodies (compression
// can take a second) does not count as waiting for the server.

/** The input of the thread. */
export interface Manners {
  /** The address of the API. */
  readonly api: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What it asks for, one path after the other and again from the start; or that it is to end. */
export type Bidding = { readonly paths: readonly string[] } | 'end';

/** The result that it posts when it stops. */
export interface Waited {
  /** Milliseconds. */
  readonly longestWait: number;
  /** Milliseconds at the median of the path with the longest one (paths without their parameters). */
  readonly medianWait: number;
  /** The responses other than 200, and the errors of requests without a response. */
  readonly wrong?: string;
}

/**
 * Milliseconds between two requests of the well-behaved client, so that it causes no load itself. A few requests a second
 * detect a wait of a second; this pause counts as waiting.
 */
const BREATH = 25;

const { api, headers } = workerData as Manners;
let asking = Promise.resolve<Waited>({ longestWait: 0, medianWait: 0 });
let ending = false;

/** Sends one simple request after the other until it is stopped. */
async function askOn(paths: readonly string[]): Promise<Waited> {
  const agent = new Agent({ keepAlive: true });
  const waits = new Map<string, number[]>();
  let longestWait = 0;
  const waited = () => ({ longestWait, medianWait: Math.max(0, ...[...waits.values()].map(median)) });
  try {
    let since = performance.now();
    for (let at = 0; !ending; at++) {
      const path = paths[at % paths.length]!;
      const asked = performance.now();
      const status = await ask(agent, path);
      if (status !== 200) return { ...waited(), wrong: `${path} was answered ${status}` };
      const now = performance.now();
      longestWait = Math.max(longestWait, now - since);
      since = now;
      const question = path.split('?', 1)[0]!;
      waits.set(question, [...(waits.get(question) ?? []), now - asked]);
      await pause(BREATH);
    }
    return waited();
  } catch (error) {
    return { ...waited(), wrong: String(error) };
  } finally {
    agent.destroy();
  }
}

function median(waits: readonly number[]): number {
  return waits.toSorted((a, b) => a - b)[waits.length >> 1]!;
}

function ask(agent: Agent, path: string): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  const request = get(api + path, { agent, headers }, (response) => {
    response.resume();
    response.on('error', reject);
    response.on('end', () => resolve(response.statusCode));
  });
  request.on('error', reject);
  return promise;
}

parentPort!.on('message', (bidding: Bidding) => {
  ending = bidding === 'end';
  if (bidding !== 'end') asking = askOn(bidding.paths);
  else void asking.then((waited) => parentPort!.postMessage(waited));
});
