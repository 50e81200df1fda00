import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import packageJson from '../package.json' with { type: 'json' };

const root = join(import.meta.dirname, '..');

/** How `npm start` runs the server: variables of its environment, then flags of the runtime, then the program. */
const started = packageJson.scripts.start.split(' ');
const variables = started.filter((word) => /^\w+=/.test(word)).map((word) => word.split('='));
const flags = started.filter((word) => word.startsWith('--'));

export interface Running {
  readonly address: string;
  /** Milliseconds from the start of the process until it reports that it is ready. */
  readonly readyAfter: number;
  /** Resident memory, MiB. */
  memory(): number;
  /** Processor time of all its threads since the start, in milliseconds; independent of other load. */
  computed(): number;
  /** The part of it that the main thread used. */
  computedByMainThread(): number;
  /** The longest turn of its event loop since the previous call, in milliseconds. */
  longestTurn(): Promise<number>;
  stop(): Promise<void>;
}

/** The server of this or another checkout, as `npm start` runs it, with its own data directory. */
export function startHearth(dataDir: string, env: Readonly<Record<string, string>>, checkout = root): Promise<Running> {
  const settings = {
    ...Object.fromEntries(variables),
    HEARTH_PORT: '0',
    HEARTH_DATA_DIR: dataDir,
    HEARTH_LOG_LEVEL: 'info',
    ...env,
  };
  return start(
    [...flags, '--import', './bench/event-loop-delay.js', 'bin/hearth.js', 'serve'],
    settings,
    (line) => /"address":"([^"]+)"/.exec(line)?.[1],
    checkout,
  );
}

export function startFloor(dataDir: string): Promise<Running> {
  return start(['bench/baseline.ts', dataDir], {}, (line) => /^http:\S+/.exec(line)?.[0]);
}

/** The baseline for ingestion, with the same database. */
export function startIntakeFloor(dataDir: string, url?: string): Promise<Running> {
  return start(
    ['bench/ingestion-baseline.ts', dataDir, ...(url ? [url] : [])],
    {},
    (line) => /^http:\S+/.exec(line)?.[0],
  );
}

/** The baseline for pushes: `git http-backend` below this directory. */
export function startGitFloor(directory: string): Promise<Running> {
  return start(['bench/git-baseline.ts', directory], {}, (line) => /^http:\S+/.exec(line)?.[0]);
}

async function start(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  addressIn: (line: string) => string | undefined,
  cwd = root,
): Promise<Running> {
  const begun = performance.now();
  const child = spawn(process.execPath, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const address = await firstWord(child, addressIn);
  const readyAfter = performance.now() - begun;
  return {
    address,
    readyAfter,
    memory: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? 0) / 1024,
    computed: () => computedBy(child.pid!),
    computedByMainThread: () => readCpuTime(`/proc/${child.pid}/schedstat`),
    async longestTurn() {
      const told = once(child, 'message');
      child.send('longest?');
      const [{ longest }] = (await told) as [{ longest: number }];
      return longest;
    },
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** Returns the processor time of all threads of a process, in milliseconds (Linux); 0 if it has ended. */
export function computedBy(pid: number): number {
  const tasks = `/proc/${pid}/task`;
  if (!existsSync(tasks)) return 0;
  return readdirSync(tasks).reduce((sum, task) => sum + readCpuTime(`${tasks}/${task}/schedstat`), 0);
}

/** Returns the processor time of a thread by its file `schedstat`, in milliseconds. */
function readCpuTime(path: string): number {
  return Number(readFileSync(path, 'utf8').split(' ')[0]) / 1e6;
}

function firstWord(child: ChildProcess, addressIn: (line: string) => string | undefined): Promise<string> {
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`ended with ${code} before it was ready`)));
    createInterface({ input: child.stdout! }).on('line', (line) => {
      const address = addressIn(line);
      if (address) resolve(address);
    });
  });
}
