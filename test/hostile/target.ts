import { readdir, readFile, readlink } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { readConfig } from '../../src/config.ts';
import { type Server, startServer } from '../../src/server.ts';
import { type Turns, watchTurns } from './turns.ts';

// The server that is attacked, in a process of its own: it measures itself while `attack.ts` has others attack it.

/** What it has, before or after an attack. */
export interface Holdings {
  /** What git processes do, those that are kept for later questions aside. */
  readonly children: readonly string[];
  readonly descriptors: number;
}

/** What an attack has done to it. */
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

/** What the others do. The pipes of those that are kept would be counted; the next question starts another one. */
async function endKept({ rooms }: Server): Promise<string[]> {
  const others: string[] = [];
  for (const child of [...rooms.git.processes.children]) {
    if (await isKept(child.pid)) child.kill();
    else others.push(child.command);
  }
  return others;
}

/** How many are open. SQLite keeps the one of a database whose connection has closed for the next connection. */
async function descriptors(): Promise<number> {
  const numbers = await readdir('/proc/self/fd').catch(() => []);
  const files = await Promise.all(numbers.map((number) => readlink(`/proc/self/fd/${number}`).catch(() => null)));
  return files.filter((file) => file !== null && !file.endsWith('.sqlite3')).length;
}

/** Milliseconds between two looks. */
const LOOK = 10;

/** What it has when all has come to rest: what does not within eight seconds never will. */
async function rested(server: Server, before: Holdings | null): Promise<Holdings> {
  for (let tries = 0; ; tries++) {
    // The thread that reads and the process that starts others have descriptors too, and come and go with what is asked. While
    // something goes on it is asked: without that process the server starts each by itself, which costs it five times as much.
    if ((await endKept(server)).length === 0) server.forget();
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
