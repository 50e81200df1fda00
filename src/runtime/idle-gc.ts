import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Milliseconds between two checks; a process that was idle for this long collects garbage. */
const INTERVAL_MS = 10_000;
/** Share of CPU time between two checks below which the process counts as idle. */
const IDLE_CPU_SHARE = 0.03;
/** Minimum resident bytes for which a collection is worth its cost. */
const MIN_RESIDENT_BYTES = 100 * 2 ** 20;
/** Minimum growth in resident bytes since the last collection. */
const MIN_GROWTH_BYTES = 6 * 2 ** 20;

/**
 * Collects garbage when the process becomes idle: V8 collects only while it allocates, so an idle process keeps its memory.
 * Calls `clearCaches` before each collection. Returns a function that stops the checks.
 */
export function collectGarbageWhenIdle(clearCaches: () => void): () => void {
  let lastCpuUsage = process.cpuUsage();
  let bytesAfterCollection = 0;
  const checkIdle = () => {
    const { user, system } = process.cpuUsage(lastCpuUsage);
    lastCpuUsage = process.cpuUsage();
    // CPU times are in microseconds.
    const isBusy = (user + system) / 1000 / INTERVAL_MS > IDLE_CPU_SHARE;
    const residentBytes = process.memoryUsage.rss();
    if (isBusy || residentBytes < MIN_RESIDENT_BYTES || residentBytes < bytesAfterCollection + MIN_GROWTH_BYTES) return;
    clearCaches();
    collectGarbage();
    // The CPU time of the collection itself does not count as load.
    lastCpuUsage = process.cpuUsage();
    bytesAfterCollection = process.memoryUsage.rss();
  };
  const timer = setInterval(checkIdle, INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}

let runGc: ((options: object) => void) | undefined;

/** Runs a full collection. `gc` is only available with a V8 flag, which is set at the first call. */
function collectGarbage(): void {
  if (runGc === undefined) {
    setFlagsFromString('--expose-gc');
    runGc = runInNewContext('gc') as (options: object) => void;
  }
  runGc({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
