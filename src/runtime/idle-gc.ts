import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Milliseconds between two looks; a process that was quiet for so long gives memory back. */
const INTERVAL = 10_000;
/** Of the time between two looks, in CPU time: less is quiet. */
const QUIET = 0.03;
/** Resident bytes from which on it is worth a collection. */
const WORTH = 100 * 2 ** 20;
/** Resident bytes that it must have grown by since it was collected last. */
const GROWN = 6 * 2 ** 20;

/**
 * Gives back what a load has left behind once it is over: an engine that allocates no more collects no more, and keeps
 * what it has. `forget` gives up caches before. Returns what ends it.
 */
export function giveBackWhenQuiet(forget: () => void): () => void {
  let before = process.cpuUsage();
  let kept = 0;
  const look = () => {
    const { user, system } = process.cpuUsage(before);
    before = process.cpuUsage();
    const busy = (user + system) / 1000 / INTERVAL > QUIET;
    const resident = process.memoryUsage.rss();
    if (busy || resident < WORTH || resident < kept + GROWN) return;
    forget();
    collect();
    // The collection itself is no load.
    before = process.cpuUsage();
    kept = process.memoryUsage.rss();
  };
  const timer = setInterval(look, INTERVAL);
  timer.unref();
  return () => clearInterval(timer);
}

let collectGarbage: ((options: object) => void) | undefined;

function collect(): void {
  if (collectGarbage === undefined) {
    setFlagsFromString('--expose-gc');
    collectGarbage = runInNewContext('gc') as (options: object) => void;
  }
  collectGarbage({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
