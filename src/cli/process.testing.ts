import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { explainError, getExitCode } from './explain-error.ts';
import { runCommandLine } from './run.ts';

// Runs `hearth` as a process, from its sources, or its command line in this process.

const main = join(import.meta.dirname, '../main.ts');

type Environment = Readonly<Record<string, string | undefined>>;

/** Starts a command. Its environment has only PATH and these variables. */
export function startHearth(args: readonly string[], env: Environment = {}): ChildProcess {
  return spawn(process.execPath, [main, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...env },
  });
}

/** Runs a command with this text as its standard input. Returns its output and exit code. */
export async function runHearth(args: readonly string[], env: Environment = {}, input = '') {
  const child = startHearth(args, env);
  // A command that does not read its input may end before it is written.
  child.stdin!.on('error', () => {});
  child.stdin!.end(input);
  const [out, err, [code]] = await Promise.all([text(child.stdout!), text(child.stderr!), once(child, 'close')]);
  return { out, err, code };
}

/** Runs a command line in this process, which takes a fraction of the time. Returns what `runHearth` would. */
export async function runInProcess(args: readonly string[], env: Environment = {}, input = '') {
  const output = { out: '', err: '', code: 0 };
  const stdin = Readable.from([input]) as unknown as NodeJS.ReadStream;
  const stdout = { write: (written: string) => void (output.out += written) };
  const stderr = { write: (written: string) => void (output.err += written) };
  try {
    await runCommandLine(args, { env, stdin, stdout, stderr });
  } catch (error) {
    output.err += `hearth: ${explainError(error, env)}\n`;
    output.code = getExitCode(error);
  }
  return output;
}

/** Creates an empty directory that is deleted after the test. */
export async function temporaryDirectory(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'hearth-cli-'));
  t.after(() => rm(path, { recursive: true, force: true }));
  return path;
}

/** Starts a server and waits until it listens. Returns its process, address and log lines, and a function that stops it. */
export async function startServerProcess(env: Environment) {
  const child = startHearth(['serve'], { HEARTH_PORT: '0', ...env });
  const lines: Record<string, unknown>[] = [];
  const listening = Promise.withResolvers<string>();
  const ended = once(child, 'close');
  createInterface({ input: child.stdout! }).on('line', (line) => {
    const parsed = JSON.parse(line) as Record<string, unknown>;
    lines.push(parsed);
    if (parsed.address) listening.resolve(String(parsed.address));
  });
  const errors = text(child.stderr!);
  ended.then(async () => listening.reject(new Error(`The server ended: ${await errors}`)));
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal);
    return ended;
  };
  return { child, lines, ended, stop, address: await listening.promise };
}

/** Starts a server that is killed after the test, whatever its result. */
export async function startServerFor(t: TestContext, env: Environment) {
  const server = await startServerProcess(env);
  t.after(() => server.child.kill('SIGKILL'));
  return server;
}
