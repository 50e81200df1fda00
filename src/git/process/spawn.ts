import type { Duplex, Readable, Writable } from 'node:stream';
import type { Client } from '#runtime/concurrency-limiter.ts';
import type { Repository } from '../repository.ts';
import { type CommandName, commands, type GitCommand, type GitConfig } from './commands.ts';
import { GitFailed, type GitFailure, readFailure } from './failures.ts';
import type { Started } from './process-spawner.ts';
import { gitPath, start } from './start-process.ts';

/**
 * What a command is told. Each part is checked, so that user text never becomes an option:
 * `flags` are written by Hearth and begin with `-`; `args` (revisions, ref prefixes, URLs) come after
 * `--end-of-options`, or may not begin with `-` where the command has none; `paths` come after `--` and are literal.
 */
export interface Invocation {
  flags?: readonly string[];
  args?: readonly string[];
  paths?: readonly string[];
}

interface SpawnOptions {
  /** Added to the clean environment: `GIT_PROTOCOL`, the quarantine variables, `GIT_INDEX_FILE`... */
  env?: Readonly<Record<string, string>>;
  /** Configuration for this one run, on top of the command's. */
  config?: GitConfig;
  /** Milliseconds, where a caller has promised less than the command's own limit. */
  timeLimit?: number;
  /** Largest standard output in bytes, where a caller takes less than the command's own limit. */
  limit?: number;
  /** Exit codes besides 0 that are an answer and not a failure (`merge-base --is-ancestor`: 1). */
  answers?: readonly number[];
}

export interface RunOptions extends SpawnOptions {
  /** Standard input; empty without it. */
  input?: Buffer | string;
}

interface StreamOptions extends SpawnOptions {
  /** Further pipes: file descriptors 3, 4... of the command, `child.pipes` here. */
  pipes?: number;
  /** It answers many questions, whoever asks them: its keeper bounds the time and output of each. Its memory is bounded. */
  kept?: boolean;
}

export type Ended = { readonly ok: true; readonly code: number } | { readonly ok: false; readonly failure: GitFailure };

type RunResult =
  | { readonly ok: true; readonly code: number; readonly stdout: Buffer }
  | { readonly ok: false; readonly failure: GitFailure; readonly stdout: Buffer };

/**
 * A running command. Its caller reads `stdout` to the end or calls `kill`; otherwise `done` never settles. He begins to read in
 * the turn in which it was started: of a process that ends before, Node throws away what it has written.
 */
export interface GitChild {
  readonly command: CommandName;
  /** Of the repository that it works in. */
  readonly directory: string | null;
  /** Once it is known. */
  readonly pid: number | undefined;
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** File descriptors 3, 4... */
  readonly pipes: readonly Duplex[];
  /** Settles when the process has ended and its streams are closed; never rejects. */
  readonly done: Promise<Ended>;
  /**
   * Stops it now (TERM to its whole group, so that git removes its locks; KILL two seconds later), for this reason, `stopped`
   * without one. Any number of times.
   */
  kill(reason?: GitFailure): void;
}

/** The program and its living children, for one `Git`. */
export interface Processes {
  readonly program: string;
  readonly children: Set<GitChild>;
  closed: boolean;
}

/** Whoever can run git: a `Git`, or in tests just this. */
export interface Runner {
  readonly processes: Processes;
  /** For whom: what it reads for them ends when they go away (`commands.ts`). Null: for nobody in particular. */
  readonly client: Client | null;
}

export function createProcesses(program: string): Processes {
  return { program, children: new Set(), closed: false };
}

/** Stops all children, waits for their ends; nothing starts afterwards. */
export async function endProcesses(processes: Processes): Promise<void> {
  processes.closed = true;
  const ends = [...processes.children].map((child) => {
    child.kill();
    return child.done;
  });
  await Promise.all(ends);
}

/**
 * Starts a command whose input and output are streams with back-pressure. `repository` null: the command needs none.
 * Never throws for what git does; throws for an invocation that could smuggle an option (a mistake in Hearth), and
 * `GitFailed` after `git.close()` or when the client that it was to work for has gone.
 */
export function stream(
  git: Runner,
  repository: Repository | null,
  command: CommandName,
  invocation: Invocation,
  options: StreamOptions = {},
): GitChild {
  const row: GitCommand = commands[command];
  const argv = composeArguments(command, row, invocation);
  const processes = git.processes;
  const client = row.withoutClient === 'ends' && options.kept !== true ? git.client : null;
  if (processes.closed || client?.gone === true) throw new GitFailed(command, { kind: 'stopped' });
  const started = start({
    file: '/bin/sh',
    args: ['-c', withinMemory(row.memory), processes.program, ...argv],
    env: environment(repository, row, options),
    streams: 3 + (options.pipes ?? 0),
  });
  return follow(processes, client, { command, row, directory: repository?.directory ?? null }, started, options);
}

/** Runs a command whose output fits in memory, and waits for it. Failures are values. */
export async function run(
  git: Runner,
  repository: Repository | null,
  command: CommandName,
  invocation: Invocation,
  options: RunOptions = {},
): Promise<RunResult> {
  const child = stream(git, repository, command, invocation, options);
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stdin.end(options.input ?? '');
  const ended = await child.done;
  const stdout = Buffer.concat(chunks);
  if (ended.ok) return { ok: true, code: ended.code, stdout };
  const { failure } = ended;
  return { ok: false, failure, stdout: failure.kind === 'too-large' ? stdout.subarray(0, failure.limit) : stdout };
}

/** As `run`, for a command that fails only when the repository or the machine is broken: throws `GitFailed`. */
export async function output(
  git: Runner,
  repository: Repository | null,
  command: CommandName,
  invocation: Invocation,
  options: RunOptions = {},
): Promise<Buffer> {
  const result = await run(git, repository, command, invocation, options);
  if (!result.ok) throw new GitFailed(command, result.failure);
  return result.stdout;
}

function composeArguments(command: CommandName, row: GitCommand, invocation: Invocation): string[] {
  const { flags = [], args = [], paths } = invocation;
  for (const flag of flags) {
    if (!flag.startsWith('-') || flag === '--' || flag.includes('\0')) throw misuse(command, 'flag', flag);
  }
  for (const text of [...args, ...(paths ?? [])]) {
    if (text.includes('\0')) throw misuse(command, 'argument', text);
  }
  const argv = [...command.split(' '), ...flags];
  if (args.length > 0 && row.endOfOptions) argv.push('--end-of-options');
  for (const text of args) {
    if (!row.endOfOptions && text.startsWith('-')) throw misuse(command, 'argument', text);
    argv.push(text);
  }
  if (paths !== undefined) argv.push('--', ...paths);
  return argv;
}

function misuse(command: CommandName, what: string, text: string): Error {
  return new Error(`git ${command} was to be given the ${what} ${JSON.stringify(text)}`);
}

/** For every command: nothing of the machine's or the user's configuration, everything synced, nothing by itself. */
const configuration: Readonly<Record<string, string>> = {
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
 * What the shell does before it becomes git: no compiler and no native code needed, at half a millisecond a process. `-d`
 * counts what a process has allocated and not the packs that it has mapped, which may be of any size. Where a system does
 * not enforce it (macOS), git's own limit of one allocation is left (`GIT_ALLOC_LIMIT`).
 */
function withinMemory(mebibytes: number): string {
  return `ulimit -d ${mebibytes * 1024} 2>/dev/null; exec "$0" "$@"`;
}

function environment(repository: Repository | null, row: GitCommand, options: SpawnOptions): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = {
    PATH: gitPath(),
    HOME: '/nonexistent',
    XDG_CONFIG_HOME: '/nonexistent',
    LC_ALL: 'C',
    TZ: 'UTC',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_LITERAL_PATHSPECS: '1',
    // A pushed refs/replace/... must not change what an object id means: everything is cached by id.
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_ALLOC_LIMIT: `${row.memory}m`,
  };
  if (repository !== null) env.GIT_DIR = repository.directory;
  let count = 0;
  for (const [key, values] of Object.entries({ ...configuration, ...row.config, ...options.config })) {
    for (const value of typeof values === 'string' ? [values] : values) {
      env[`GIT_CONFIG_KEY_${count}`] = key;
      env[`GIT_CONFIG_VALUE_${count}`] = value;
      count += 1;
    }
  }
  env.GIT_CONFIG_COUNT = String(count);
  return Object.assign(env, options.env);
}

const ERROR_TEXT_LIMIT = 32 * 1024;
const PATIENCE = 2_000;

function follow(
  processes: Processes,
  client: Client | null,
  { command, row, directory }: { command: CommandName; row: GitCommand; directory: string | null },
  started: Started,
  options: StreamOptions,
): GitChild {
  const ended = Promise.withResolvers<Ended>();
  const [stdin, stdout, errors, ...pipes] = started.streams as [Duplex, Duplex, Duplex, ...Duplex[]];
  let stderr = '';
  let stopped: GitFailure | null = null;
  let settled = false;
  let last: NodeJS.Timeout | undefined;

  const stop = (failure: GitFailure): void => {
    if (stopped !== null || settled) return;
    stopped = failure;
    started.signal('SIGTERM');
    last = setTimeout(() => started.signal('SIGKILL'), PATIENCE);
    for (const end of [stdin, stdout, ...pipes]) end.destroy();
  };
  const kill = (reason: GitFailure = { kind: 'stopped' }): void => stop(reason);
  const leave = (): void => stop({ kind: 'stopped' });
  const child: GitChild = {
    command,
    directory,
    get pid() {
      return started.pid;
    },
    stdin,
    stdout,
    pipes,
    done: ended.promise,
    kill,
  };
  processes.children.add(child);

  // A command that ends before it has read its input closes the pipe: its exit code tells more than EPIPE.
  for (const end of [stdin, ...pipes]) end.on('error', () => undefined);
  errors.on('data', (chunk: Buffer) => {
    if (stderr.length < ERROR_TEXT_LIMIT) stderr += chunk.toString('utf8');
  });
  started.ended.then(settle);

  if (options.kept !== true) countOutput(stdout, Math.min(options.limit ?? Infinity, row.output * MIB), stop);
  const milliseconds = Math.min(options.timeLimit ?? Infinity, row.seconds * 1000);
  const limit = options.kept === true ? undefined : setTimeout(() => stop({ kind: 'timed-out' }), milliseconds);
  client?.signal.addEventListener('abort', leave, { once: true });
  // No time at all is over already; a timer would race with a command that is quick.
  if (milliseconds === 0) stop({ kind: 'timed-out' });

  function settle(end: Awaited<Started['ended']>): void {
    settled = true;
    clearTimeout(limit);
    clearTimeout(last);
    client?.signal.removeEventListener('abort', leave);
    processes.children.delete(child);
    if (stopped !== null) ended.resolve({ ok: false, failure: stopped });
    else if ('error' in end) ended.resolve({ ok: false, failure: { kind: 'unavailable', text: end.error } });
    else if (isAnswer(end.code, options)) ended.resolve({ ok: true, code: end.code });
    else ended.resolve({ ok: false, failure: readFailure(end.code, stderr) });
  }
  return child;
}

const MIB = 1024 * 1024;

/** Sees what passes before whoever reads it: unlike `on`, `prependListener` does not set a stream flowing. */
function countOutput(stdout: Readable, limit: number, stop: (failure: GitFailure) => void): void {
  let size = 0;
  stdout.prependListener('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > limit) stop({ kind: 'too-large', limit });
  });
}

const isAnswer = (code: number | null, { answers }: StreamOptions): code is number =>
  code === 0 || (code !== null && answers?.includes(code) === true);
