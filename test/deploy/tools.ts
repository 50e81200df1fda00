// What the checks of deploy/ share.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '../..');

export const readDeployFile = (path: string): string => readFileSync(join(root, 'deploy', path), 'utf8');

/** Runs the work with a new directory, which is deleted afterwards. */
export async function withScratch(work: (scratch: string) => Promise<void>): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), 'hearth-deploy-'));
  try {
    await work(scratch);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

interface ExecuteOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Runs a program. Returns what it writes. Throws with all of it if it fails. */
export function execute(program: string, args: readonly string[], options: ExecuteOptions = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(program, args, { maxBuffer: 1 << 26, ...options }, (error, stdout, stderr) => {
      if (error) reject(new Error(`${program} ${args.join(' ')}: ${error.code}\n${stdout}${stderr}`));
      else resolve(`${stdout}${stderr}`);
    });
  });
}

/** Returns a port that nothing listens on. */
export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

/** Resolves when the port accepts connections. Throws after a minute. */
export async function waitForPort(port: number): Promise<void> {
  await execute('bash', [
    '-c',
    `for _ in $(seq 600); do (: < /dev/tcp/127.0.0.1/${port}) 2>/dev/null && exit 0; sleep 0.1; done; exit 1`,
  ]);
}
