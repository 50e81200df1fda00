import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Milliseconds between two checks; a process that was idle for this long collects garbage. */
const INTERVAL_MS = 10_000;
/** Share of CPU time between two checks below which the process counts as idle. */
const IDLE_CPU_SHARE = 0.03;
/** Resident bytes from which on a collection is worth its cost. */
const MIN_RESIDENT_BYTES = 100 * 2 ** 20;
/** Resident bytes that the process must have grown by since the last collection. */
const MIN_GROWTH_BYTES = 6 * 2 ** 20;

/**
 * Frees memory when the process becomes idle: an engine that no longer allocates never collects and keeps its memory.
 * Calls `clearCaches` before each collection. Returns a function that stops the checks.
 */
export function collectGarbageWhenIdle(clearCaches: () => void): () => void {
  let before = process.cpuUsage();
  let retainedBytes = 0;
  const checkIdle = () => {
    const { user, system } = process.cpuUsage(before);
    before = process.cpuUsage();
    const isBusy = (user + system) / 1000 / INTERVAL_MS > IDLE_CPU_SHARE;
    const resident = process.memoryUsage.rss();
    if (isBusy || resident < MIN_RESIDENT_BYTES || resident < retainedBytes + MIN_GROWTH_BYTES) return;
    clearCaches();
    collect();
    // The CPU time of the collection itself does not count as load.
    before = process.cpuUsage();
    retainedBytes = process.memoryUsage.rss();
  };
  const timer = setInterval(checkIdle, INTERVAL_MS);
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
