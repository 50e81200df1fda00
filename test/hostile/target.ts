import { readdir, readFile } from 'node:fs/promises';
import { PerformanceObserver, performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { readConfig } from '../../src/config.ts';
import { type Server, startServer } from '../../src/server.ts';

// The server that is attacked, in a process of its own: it measures itself while `attack.ts` has others attack it.

/** What it has, before or after an attack. */
export interface Holdings {
  /** What git processes do, those that are kept for later questions aside. */
  readonly children: readonly string[];
  readonly descriptors: number;
}

/** What an attack has done to it. */
export interface Damage extends Holdings {
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

export type Order = 'begin' | 'end' | 'stop';

const TICK = 5;

/** Milliseconds: the shortest turn that an attack may be told off for. */
const LONG = 50;

/** Watches the event loop from now on. */
function watchTurns() {
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
  const ticking = setInterval(() => {
    const [now, cpu] = [performance.now(), cpuMilliseconds()];
    // Of a machine that did something else only the wall has seen; of two short turns only the processor.
    const busy = Math.min(now - last - TICK, cpu - spent);
    if (busy > 20) turns.push({ from: last, to: now, busy });
    [last, spent] = [now, cpu];
    most = Math.max(most, process.memoryUsage.rss());
  }, TICK);
  return {
    async end() {
      clearInterval(ticking);
      // Collections are told a turn later.
      await pause(TICK);
      collected.disconnect();
      const own = turns.map(({ from, to, busy }) => {
        const within = collections.filter((each) => each.to > from && each.from < to);
        return busy - within.reduce((sum, each) => sum + Math.min(each.to, to) - Math.max(each.from, from), 0);
      });
      const longestTurn = Math.max(0, ...own);
      // It is asked about long turns only, and costs as much as a small attack.
      const slowness = longestTurn > LONG ? slownessNow() : 1;
      return { longestTurn, slowness, grownBy: most - before };
    },
  };
}

function cpuMilliseconds(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Milliseconds that `work` below takes where nobody else works. */
const QUICK = 4;

/** By how much longer the processor takes for the same work, because others share it or because it is another one. */
function slownessNow(): number {
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

/** git processes that wait for a next question. */
async function isKept(pid: number | undefined): Promise<boolean> {
  const line = await readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '');
  return /\0--(batch|stdin)/.test(line);
}

async function holdings({ rooms }: Server): Promise<Holdings> {
  const { children } = rooms.git.processes;
  const others: string[] = [];
  for (const child of [...children]) {
    // Their pipes would be counted; the next question starts another one.
    if (await isKept(child.pid)) child.kill();
    else others.push(child.command);
  }
  const descriptors = await readdir('/proc/self/fd').catch(() => []);
  return { children: others, descriptors: descriptors.length };
}

/** Milliseconds between two looks. */
const LOOK = 10;

/** What it has when all has come to rest: what does not within eight seconds never will. */
async function rested(server: Server, before: Holdings | null): Promise<Holdings> {
  for (let tries = 0; ; tries++) {
    await pause(LOOK);
    // Before the look: those that end during it are in what it has seen.
    const isQuiet = server.rooms.git.processes.children.size === 0;
    const now = await holdings(server);
    const isAsBefore = before === null || now.descriptors <= before.descriptors;
    if ((isQuiet && isAsBefore) || tries > 8000 / LOOK) return now;
  }
}

const server = await startServer(readConfig(process.env), {
  patience: Number(process.env.HOSTILE_PATIENCE),
  work: false,
});
let before: Holdings | null = null;
let watch: ReturnType<typeof watchTurns> | undefined;

const orders: Readonly<Record<Order, () => Promise<unknown>>> = {
  async begin() {
    before = await rested(server, null);
    watch = watchTurns();
    return before;
  },
  async end() {
    const turns = await watch!.end();
    return { ...turns, ...(await rested(server, before)) };
  },
  async stop() {
    await server.stop();
    process.exit(0);
  },
};

process.on('message', (order: Order) => {
  orders[order]().then((answer) => process.connected && process.send!(answer ?? null));
});
process.send!(server.address);
