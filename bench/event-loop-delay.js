// `node --import ./bench/event-loop-delay.js SERVER`: on request, the server sends its parent process the longest turn of
// its event loop since the previous request, in milliseconds. Plain JavaScript, because for TypeScript the runtime would
// load its type stripper, 9 MiB, into the server.
import { monitorEventLoopDelay } from 'node:perf_hooks';

const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
process.on('message', () => {
  // The timer itself waits for a millisecond.
  process.send?.({ longest: Math.max(0, delay.max / 1e6 - 1) });
  delay.reset();
});
process.channel?.unref();
