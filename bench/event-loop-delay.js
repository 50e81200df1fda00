// `node --import ./bench/event-loop-delay.js SERVER`: the server tells its parent, when asked, how long the longest turn of its event
// loop was since the question before, in milliseconds. Plain JavaScript: of a source in TypeScript the runtime would load
// what strips the types into the server, 9 MiB that it doesn't have otherwise.
import { monitorEventLoopDelay } from 'node:perf_hooks';

const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
process.on('message', () => {
  // The timer itself waits for a millisecond.
  process.send?.({ longest: Math.max(0, delay.max / 1e6 - 1) });
  delay.reset();
});
process.channel?.unref();
