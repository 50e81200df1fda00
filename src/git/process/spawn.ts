import type { Duplex, Readable, Writable } from 'node:stream';
import type { RequestClient } from '#runtime/concurrency-limiter.ts';
import type { CompletedGitProcess } from '#runtime/metrics.ts';
import type { Repository } from '../repository.ts';
import { COMMANDS, type CommandName, type GitCommand, type GitConfig } from './commands.ts';
import { GitError, type GitFailure, parseFailure } from './failures.ts';
import { getGitPath, type SpawnedProcess, startProcess } from './process-spawner.ts';

/**
 * Arguments of a command. Each part is checked, so that user text never becomes an option. `flags` are written by
 * Hearth and begin with `-`. `args` (revisions, ref prefixes, URLs) follow `--end-of-options`, or may not begin with
 * `-` without it. `paths` follow `--` and are literal.
 */
export interface Invocation {
  flags?: readonly string[];
  args?: readonly string[];
  paths?: readonly string[];
}

interface SpawnOptions {
  /** Added to the clean environment, such as `GIT_PROTOCOL`, the quarantine variables or `GIT_INDEX_FILE`. */
  env?: Readonly<Record<string, string>>;
  /** Configuration of this run, in addition to the command's. */
  config?: GitConfig;
  /** Timeout in milliseconds, if shorter than the command's. */
  timeoutMs?: number;
  /** Maximum standard output in bytes, if lower than the command's. */
  maxOutputBytes?: number;
  /** Exit codes other than 0 that are not failures (`merge-base --is-ancestor`: 1). */
  acceptedCodes?: readonly number[];
}

export interface RunOptions extends SpawnOptions {
  /** Standard input; empty by default. */
  input?: Buffer | string;
}

interface StreamOptions extends SpawnOptions {
  /** Additional pipes: file descriptors 3, 4... of the command, `child.pipes` here. */
  pipes?: number;
  /** Whether the process serves many callers. It has no timeout or output limit; callers limit each request. */
  longLived?: boolean;
}

export type ProcessExit =
  | { readonly ok: true; readonly code: number }
  | { readonly ok: false; readonly failure: GitFailure };

type RunResult =
  | { readonly ok: true; readonly code: number; readonly stdout: Buffer }
  | { readonly ok: false; readonly failure: GitFailure; readonly stdout: Buffer };

/**
 * A running command. Its caller must read `stdout` to the end or call `kill`; otherwise `done` never settles. Reading
 * must begin in the same tick as the start: Node discards the output of a process that exits before.
 */
export interface GitChild {
  readonly command: CommandName;
  /** Directory of the repository; null if the command runs without one. */
  readonly directory: string | null;
  /** Process id; undefined until the process has started. */
  readonly pid: number | undefined;
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** File descriptors 3, 4... */
  readonly pipes: readonly Duplex[];
  /** Settles when the process has exited and its streams are closed. Never rejects. */
  readonly done: Promise<ProcessExit>;
  /**
   * Stops its process group with this reason (default `stopped`): TERM, so that git removes its locks; KILL two seconds
   * later. May be called repeatedly.
   */
  kill(reason?: GitFailure): void;
}

/** The program and its running children, for one `Git`. */
export interface Processes {
  readonly program: string;
  readonly children: Set<GitChild>;
  /** Called when a process ends that served one request, for metrics. */
  readonly onCompleted: (completed: CompletedGitProcess) => void;
  closed: boolean;
}

/** Part of `Git` that is needed to run commands. */
interface GitRunner {
  readonly processes: Processes;
  /** Client whose disconnection stops reads (`onClientGone` in `commands.ts`); null without a client. */
  readonly client: RequestClient | null;
}

export function createProcesses(program: string, onCompleted: Processes['onCompleted'] = () => {}): Processes {
  return { program, children: new Set(), onCompleted, closed: false };
}

/** Stops all children and waits for their exits. Later starts throw `GitError`. */
export async function stopProcesses(processes: Processes): Promise<void> {
  processes.closed = true;
  const exits = [...processes.children].map((child) => {
    child.kill();
    return child.done;
  });
  await Promise.all(exits);
}

/**
 * Starts a command with streamed input and output. `repository` null: the command needs none. Failures of git are
 * values in `done`. Throws for invalid arguments (a bug in Hearth), and `GitError` after `git.close()` or if its client
 * has disconnected.
 */
export function spawnGit(
  git: GitRunner,
  repository: Repository | null,
  command: CommandName,
  invocation: Invocation,
  options: StreamOptions = {},
): GitChild {
  const commandSettings: GitCommand = COMMANDS[command];
  const argv = composeArguments(command, commandSettings, invocation);
  const processes = git.processes;
  const client = commandSettings.onClientGone === 'stop' && options.longLived !== true ? git.client : null;
  if (processes.closed || client?.isDisconnected === true) throw new GitError(command, { kind: 'stopped' });
  const spawned = startProcess({
    file: '/bin/sh',
    args: ['-c', createMemoryLimitScript(commandSettings.maxMemoryMib), processes.program, ...argv],
    env: createEnvironment(repository, commandSettings, options),
    streams: 3 + (options.pipes ?? 0),
  });
  return superviseProcess(
    processes,
    client,
    { command, commandSettings, directory: repository?.directory ?? null },
    spawned,
    options,
  );
}

/** Runs a command whose output fits in memory, and waits for it. Failures are returned. */
export async function runGit(
  git: GitRunner,
  repository: Repository | null,
  command: CommandName,
  invocation: Invocation,
  options: RunOptions = {},
): Promise<RunResult> {
  const child = spawnGit(git, repository, command, invocation, options);
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stdin.end(options.input ?? '');
  const exit = await child.done;
  const stdout = Buffer.concat(chunks);
  if (exit.ok) return { ok: true, code: exit.code, stdout };
  const { failure } = exit;
  return { ok: false, failure, stdout: failure.kind === 'too-large' ? stdout.subarray(0, failure.limit) : stdout };
}

/** As `runGit`, for a command that fails only if the repository or the machine is broken. Throws `GitError`. */
export async function readGitOutput(
  git: GitRunner,
  repository: Repository | null,
  command: CommandName,
  invocation: Invocation,
  options: RunOptions = {},
): Promise<Buffer> {
  const result = await runGit(git, repository, command, invocation, options);
  if (!result.ok) throw new GitError(command, result.failure);
  return result.stdout;
}

function composeArguments(command: CommandName, commandSettings: GitCommand, invocation: Invocation): string[] {
  const { flags = [], args = [], paths = [] } = invocation;
  for (const flag of flags) {
    if (!flag.startsWith('-') || flag === '--' || flag.includes('\0')) throw createArgumentError(command, 'flag', flag);
  }
  for (const text of [...args, ...paths]) {
    if (text.includes('\0')) throw createArgumentError(command, 'argument', text);
  }
  const argv = [...command.split(' '), ...flags];
  if (args.length > 0 && commandSettings.endOfOptions) argv.push('--end-of-options');
  for (const text of args) {
    if (!commandSettings.endOfOptions && text.startsWith('-')) throw createArgumentError(command, 'argument', text);
    argv.push(text);
  }
  if (paths.length > 0) argv.push('--', ...paths);
  return argv;
}

function createArgumentError(command: CommandName, kind: string, text: string): Error {
  return new Error(`git ${command}: invalid ${kind} ${JSON.stringify(text)}`);
}

/** Configuration of every command: it syncs all files, starts no background tasks and allows no transport. */
const BASE_CONFIG: Readonly<Record<string, string>> = {
  'core.fsync': 'all',
  'core.fsyncMethod': 'fsync',
  'core.hooksPath': '/dev/null',
  'core.logAllRefUpdates': 'false',
  'core.preferSymlinkRefs': 'false',
  'core.commitGraph': 'true',
  'core.quotePath': 'false',
  'gc.auto': '0',
  'maintenance.auto': 'false',
  'receive.autogc': 'false',
  'safe.directory': '*',
  'safe.bareRepository': 'all',
  'protocol.allow': 'never',
  'advice.detachedHead': 'false',
  'init.defaultBranch': 'main',
};

/**
 * Returns a shell script that limits memory and executes git; it takes half a millisecond. `-d` counts
 * allocations but not mapped packs, which may have any size. On systems that do not enforce it (macOS), only
 * `GIT_ALLOC_LIMIT` applies.
 */
function createMemoryLimitScript(mebibytes: number): string {
  return `ulimit -d ${mebibytes * 1024} 2>/dev/null; exec "$0" "$@"`;
}

function createEnvironment(
  repository: Repository | null,
  commandSettings: GitCommand,
  options: SpawnOptions,
): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = {
    PATH: getGitPath(),
    HOME: '/nonexistent',
    XDG_CONFIG_HOME: '/nonexistent',
    LC_ALL: 'C',
    TZ: 'UTC',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_LITERAL_PATHSPECS: '1',
    // A pushed refs/replace/... must not change the meaning of an object id: everything is cached by id.
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_ALLOC_LIMIT: `${commandSettings.maxMemoryMib}m`,
  };
  if (repository !== null) env.GIT_DIR = repository.directory;
  let count = 0;
  for (const [key, values] of Object.entries({ ...BASE_CONFIG, ...commandSettings.config, ...options.config })) {
    for (const value of typeof values === 'string' ? [values] : values) {
      env[`GIT_CONFIG_KEY_${count}`] = key;
      env[`GIT_CONFIG_VALUE_${count}`] = value;
      count += 1;
    }
  }
  env.GIT_CONFIG_COUNT = String(count);
  return Object.assign(env, options.env);
}

/** Maximum characters of standard error that are kept. */
const ERROR_TEXT_LIMIT = 32 * 1024;
/** Milliseconds between TERM and KILL. */
const KILL_DELAY_MS = 2_000;

/** Enforces the limits of a started process, stops it when its client disconnects, and reports its exit. */
function superviseProcess(
  processes: Processes,
  client: RequestClient | null,
  {
    command,
    commandSettings,
    directory,
  }: { command: CommandName; commandSettings: GitCommand; directory: string | null },
  spawned: SpawnedProcess,
  options: StreamOptions,
): GitChild {
  const exit = Promise.withResolvers<ProcessExit>();
  const [stdin, stdout, errorStream, ...pipes] = spawned.streams as [Duplex, Duplex, Duplex, ...Duplex[]];
  let stderr = '';
  let stopReason: GitFailure | null = null;
  let settled = false;
  const startedAt = performance.now();
  let killTimer: NodeJS.Timeout | undefined;

  const stop = (failure: GitFailure): void => {
    if (stopReason !== null || settled) return;
    stopReason = failure;
    spawned.signal('SIGTERM');
    killTimer = setTimeout(() => spawned.signal('SIGKILL'), KILL_DELAY_MS);
    for (const stream of [stdin, stdout, ...pipes]) stream.destroy();
  };
  const kill = (reason: GitFailure = { kind: 'stopped' }): void => stop(reason);
  const stopForClient = (): void => stop({ kind: 'stopped' });
  const child: GitChild = {
    command,
    directory,
    get pid() {
      return spawned.pid;
    },
    stdin,
    stdout,
    pipes,
    done: exit.promise,
    kill,
  };
  processes.children.add(child);

  // A command that exits before it has read its input closes the pipe. Its exit code says more than EPIPE.
  for (const stream of [stdin, ...pipes]) stream.on('error', () => undefined);
  errorStream.on('data', (chunk: Buffer) => {
    if (stderr.length < ERROR_TEXT_LIMIT) stderr += chunk.toString('utf8');
  });
  spawned.ended.then(settle);

  if (options.longLived !== true)
    countOutput(stdout, Math.min(options.maxOutputBytes ?? Infinity, commandSettings.maxOutputMib * MIB), stop);
  const timeoutMs = Math.min(options.timeoutMs ?? Infinity, commandSettings.timeoutSeconds * 1000);
  const timeoutTimer =
    options.longLived === true ? undefined : setTimeout(() => stop({ kind: 'timed-out' }), timeoutMs);
  client?.signal.addEventListener('abort', stopForClient, { once: true });
  // A timeout of zero has already passed; a timer would race with a fast command.
  if (timeoutMs === 0) stop({ kind: 'timed-out' });

  function settle(result: Awaited<SpawnedProcess['ended']>): void {
    settled = true;
    clearTimeout(timeoutTimer);
    clearTimeout(killTimer);
    client?.signal.removeEventListener('abort', stopForClient);
    processes.children.delete(child);
    const processExit = toProcessExit(result);
    exit.resolve(processExit);
    // The lifetime of a process that serves many callers says nothing about any of them.
    if (options.longLived === true) return;
    const outcome = stopReason !== null ? 'killed' : processExit.ok ? 'ok' : 'failed';
    processes.onCompleted({ command, outcome, seconds: (performance.now() - startedAt) / 1000 });
  }

  function toProcessExit(result: Awaited<SpawnedProcess['ended']>): ProcessExit {
    if (stopReason !== null) return { ok: false, failure: stopReason };
    if ('error' in result) return { ok: false, failure: { kind: 'unavailable', text: result.error } };
    if (isAcceptedCode(result.code, options)) return { ok: true, code: result.code };
    return { ok: false, failure: parseFailure(result.code, stderr) };
  }
  return child;
}

const MIB = 1024 * 1024;

/** Counts bytes before the reader gets them. Unlike `on`, `prependListener` does not make a stream flow. */
function countOutput(stdout: Readable, limit: number, stop: (failure: GitFailure) => void): void {
  let size = 0;
  stdout.prependListener('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > limit) stop({ kind: 'too-large', limit });
  });
}

const isAcceptedCode = (code: number | null, { acceptedCodes }: StreamOptions): code is number =>
  code === 0 || (code !== null && acceptedCodes?.includes(code) === true);
