import { readdir, readFile, readlink } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { loadConfig } from '#config.ts';
import { clearResponseCache } from '#http/server/response/response-cache.ts';
import { type Server, startServer } from '#server.ts';
import { type Turns, watchTurns } from './event-loop.ts';

// The server that is attacked, in a process of its own: it measures itself while `attack.ts` has others attack it.

/** The resources of the server before or after an attack. */
export interface Holdings {
  /** The commands of the git processes, except the reusable ones. */
  readonly children: readonly string[];
  readonly descriptors: number;
}

/** The effects of an attack on the server. */
export interface Damage extends Holdings, Turns {}

export type Order = 'begin' | 'end' | 'stop';

/** git processes that wait for a next question. */
async function isKept(pid: number | undefined): Promise<boolean> {
  const line = await readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '');
  return /\0--(batch|stdin)/.test(line);
}

async function holdings(server: Server): Promise<Holdings> {
  const children = await endKept(server);
  return { children, descriptors: await descriptors() };
}

/** Returns the commands of the other git processes, after it stops the reusable ones: their pipes would be counted. */
async function endKept({ services }: Server): Promise<string[]> {
  const others: string[] = [];
  for (const child of [...services.git.processes.children]) {
    if (await isKept(child.pid)) child.kill();
    else others.push(child.command);
  }
  return others;
}

/**
 * Returns the number of open file descriptors, without the one to each process spawner: spawners are reused. SQLite reuses the
 * descriptor of a closed database connection for the next connection.
 */
async function descriptors(): Promise<number> {
  const numbers = await readdir('/proc/self/fd').catch(() => []);
  const files = await Promise.all(numbers.map((number) => readlink(`/proc/self/fd/${number}`).catch(() => null)));
  return files.filter((file) => file !== null && !file.endsWith('.sqlite3')).length - (await starters());
}

/** Returns the number of process spawners (`src/git/process/process-spawner.ts`): one, or two while one replaces the other. */
async function starters(): Promise<number> {
  const children = await readFile(`/proc/self/task/${process.pid}/children`, 'latin1').catch(() => '');
  const lines = children.split(' ').map((pid) => readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => ''));
  return (await Promise.all(lines)).filter((line) => line.includes('process-spawner-program')).length;
}

/** Milliseconds between two looks. */
const LOOK = 10;

const config = loadConfig(process.env);
const server = await startServer(config, { idleTimeoutMs: Number(process.env.HOSTILE_PATIENCE), work: false });

/**
 * The thread that reads has descriptors too, and comes and goes with what is asked. The process that starts others stays from
 * one attack to the next: to start it anew costs as much as a small attack. The first one meets a server without it.
 */
function forget(isFirst: boolean): void {
  if (isFirst) server.clearCaches();
  else {
    server.services.database.clearCaches();
    clearResponseCache(config);
  }
}

/** What it has when all has come to rest: what does not within eight seconds never will. */
async function rested(before: Holdings | null, isFirst = false): Promise<Holdings> {
  for (let tries = 0; ; tries++) {
    // Poll while work is in progress.
    if ((await endKept(server)).length === 0) forget(isFirst);
    await pause(LOOK);
    // Before the look: those that end during it are in what it has seen.
    const isQuiet = server.services.git.processes.children.size + (isFirst ? await starters() : 0) === 0;
    const now = await holdings(server);
    const isAsBefore = before === null || now.descriptors <= before.descriptors;
    if ((isQuiet && isAsBefore) || tries > 8000 / LOOK) return now;
  }
}

let before: Holdings | null = null;
let watch: ReturnType<typeof watchTurns> | undefined;

const orders: Readonly<Record<Order, () => Promise<unknown>>> = {
  async begin() {
    before = await rested(null, before === null);
    watch = watchTurns();
    return before;
  },
  async end() {
    const turns = await watch!.end();
    return { ...turns, ...(await rested(before)) };
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
