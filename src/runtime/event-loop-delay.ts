import { performance } from 'node:perf_hooks';
import { Histogram } from 'prom-client';

/** Milliseconds between two samples. */
const INTERVAL_MS = 100;
/** Upper bounds of the histogram buckets, in seconds. */
const BUCKETS = [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

let histogram: Histogram | undefined;

/**
 * Returns the delay of the event loop since the first call: how late a timer runs. All servers of the process share it, and no
 * reader resets it.
 */
export function eventLoopDelay(): Histogram {
  histogram ??= startSampling();
  return histogram;
}

function startSampling(): Histogram {
  const delays = new Histogram({
    name: 'nodejs_event_loop_delay_seconds',
    help: 'Delay of a timer, sampled every 100 ms: for this long the event loop did other work.',
    buckets: BUCKETS,
    registers: [],
  });
  let dueAt = performance.now() + INTERVAL_MS;
  const sample = () => {
    const now = performance.now();
    delays.observe(toDelaySeconds(now, dueAt));
    dueAt = now + INTERVAL_MS;
  };
  setInterval(sample, INTERVAL_MS).unref();
  return delays;
}

/** Returns the delay of a timer that was due at `dueAt`, both in milliseconds. Timers may run a fraction of one early. */
export function toDelaySeconds(now: number, dueAt: number): number {
  return Math.max(0, now - dueAt) / 1000;
}
