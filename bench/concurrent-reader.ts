import { Agent, get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import type { Asked } from './monitoring.ts';

// Reads during a load test, in a separate thread, so that the CPU time of the load generator is not measured as latency of
// the server.

/** Milliseconds between two requests. */
const BREATH = 50;

const { url, headers } = workerData as Asked;
const agent = new Agent({ keepAlive: true });
const waits: number[] = [];
let ending = false;

parentPort!.on('message', () => {
  ending = true;
});

// The first request measures a server that has just started, not the load, so it is not counted.
await ask();

while (!ending) {
  const began = performance.now();
  await ask();
  waits.push(performance.now() - began);
  await pause(BREATH);
}
agent.destroy();
parentPort!.postMessage(waits);
parentPort!.close();

function ask(): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const request = get(url, { agent, headers }, (response) => {
    response.resume();
    response.on('error', reject);
    response.on('end', () => (response.statusCode === 200 ? resolve() : reject(new Error(`${response.statusCode}`))));
  });
  request.on('error', reject);
  return promise;
}
