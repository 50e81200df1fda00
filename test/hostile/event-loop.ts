import { PerformanceObserver, performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';

/** The measurements of this process and its event loop. */
export interface Turns {
  /**
   * The longest that the event loop was busy without looking at anything new, in milliseconds: its own work, without
   * collections of garbage and without the time in which the machine did something else.
   */
  readonly longestTurn: number;
  /** How much slower the machine was for this process than the one on which milliseconds were set: 1 or more. */
  readonly slowness: number;
  /** Bytes of resident memory that it had more at most than before. */
  readonly grownBy: number;
}

/** Milliseconds between two looks. */
const TICK = 5;

/** Milliseconds: shorter turns never fail an attack. */
const LONG = 50;

/** Watches the event loop from now on. */
export function watchTurns(): { end(): Promise<Turns> } {
  const turns: { readonly from: number; readonly to: number; readonly busy: number }[] = [];
  const collections: { readonly from: number; readonly to: number }[] = [];
  const collected = new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) {
      collections.push({ from: startTime, to: startTime + duration });
    }
  });
  collected.observe({ entryTypes: ['gc'] });
  const before = process.memoryUsage.rss();
  let most = before;
  let last = performance.now();
  let spent = cpuMilliseconds();
  const look = () => {
    const [now, cpu] = [performance.now(), cpuMilliseconds()];
    // Wall time includes other load of the machine; processor time may include two short turns.
    const busy = Math.min(now - last - TICK, cpu - spent);
    if (busy > LONG / 2) turns.push({ from: last, to: now, busy });
    [last, spent] = [now, cpu];
    most = Math.max(most, process.memoryUsage.rss());
  };
  const ticking = setInterval(look, TICK);
  return {
    async end() {
      clearInterval(ticking);
      look();
      // Garbage collections are reported one turn later.
      if (turns.length > 0) await pause(TICK);
      collected.disconnect();
      const own = turns.map(({ from, to, busy }) => {
        const within = collections.filter((each) => each.to > from && each.from < to);
        return busy - within.reduce((sum, each) => sum + Math.min(each.to, to) - Math.max(each.from, from), 0);
      });
      const longestTurn = Math.max(0, ...own);
      // Only called for long turns: the call costs as much as a small attack.
      const slowness = longestTurn > LONG ? slownessNow() : 1;
      return { longestTurn, slowness, grownBy: most - before };
    },
  };
}

/** Returns the processor time of this thread, without the other load of the machine. */
export function cpuMilliseconds(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Milliseconds that `work` below takes on an idle machine. */
const QUICK = 4;

/** By how much longer the processor takes for the same work, because others share it or because it is another one. */
export function slownessNow(): number {
  const took = Array.from({ length: 9 }, () => {
    const began = cpuMilliseconds();
    work();
    return cpuMilliseconds() - began;
  });
  return Math.min(5, Math.max(1, took.sort((a, b) => a - b)[4]! / QUICK));
}

function work(): number {
  const counts = new Uint32Array(65_536);
  for (let at = 0, state = 1; at < 4_000_000; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    counts[state >>> 16]!++;
  }
  return counts[0]!;
}
