import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { openDatabase } from '#database/database.ts';
import { systemClock } from '#runtime/clock.ts';

const root = join(import.meta.dirname, '../..');

export const TOKEN = 'glpat-crash-token-0000000001';
export const PASSWORD = 'crash-password-1';

/** The real server as it is started everywhere, in a process of its own that can be killed. */
export interface Victim {
  readonly address: string;
  readonly pid: number;
  /** Resolves when it logs this message the next time; `request`s by their endpoint too, `request fetchPack`. */
  says(message: string): Promise<void>;
  /** Sends SIGKILL; resolves when no process of the server runs. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

export async function startVictim(
  dataDir: string,
  databaseUrl: string | undefined,
  more: Readonly<Record<string, string>> = {},
): Promise<Victim> {
  const settings = {
    HEARTH_PORT: '0',
    HEARTH_DATA_DIR: dataDir,
    HEARTH_ROOT_TOKEN: TOKEN,
    HEARTH_ROOT_PASSWORD: PASSWORD,
    HEARTH_LOG_LEVEL: 'info',
    ...(databaseUrl === undefined ? {} : { HEARTH_DATABASE_URL: databaseUrl }),
    ...more,
  };
  const child = spawn(process.execPath, ['bin/hearth.js', 'serve'], {
    cwd: root,
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const awaited = new Map<string, () => void>();
  const address = await addressOf(child, (message) => awaited.get(message)?.());
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await ended;
  };
  const says = (message: string) => new Promise<void>((resolve) => awaited.set(message, resolve));
  const kill = async () => {
    await end('SIGKILL');
    await resetProcessDeaths(dataDir, databaseUrl);
  };
  return { address, pid: child.pid!, says, kill, stop: () => end('SIGTERM') };
}

/** Kills from outside are no job's fault: without this, a job that runs during two of them would be given up. */
async function resetProcessDeaths(dataDir: string, url: string | undefined): Promise<void> {
  const database = await openDatabase({ url, dataDir, clock: systemClock });
  await database.transaction((tx) => tx.updateTable('background_jobs').set({ process_deaths: 0 }).execute());
  await database.close();
}

function addressOf(child: ChildProcess, hear: (message: string) => void): Promise<string> {
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`The server ended with ${code} before it was ready`)));
    createInterface({ input: child.stdout! }).on('line', (line) => {
      const { address, level, msg, endpoint } = JSON.parse(line) as Partial<Record<string, string>>;
      if (level === 'error') process.stderr.write(`${line}\n`);
      if (msg !== undefined) hear(msg);
      if (endpoint !== undefined) hear(`${msg} ${endpoint}`);
      if (address !== undefined && msg === 'Hearth is ready') resolve(address);
    });
  });
}
