import { type ChildProcess, fork, spawn } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import {
  formatHeader,
  type ProcessRequest,
  type SpawnerCommand,
  type SpawnerMessage,
  signalGroup,
  toExitCode,
} from './process-spawner-messages.ts';

/** A requested process. Its streams exist immediately, even if the process does not run yet. */
export interface SpawnedProcess {
  /** Process id; undefined until the process runs. */
  readonly pid: number | undefined;
  /** Streams by file descriptor: 0, 1, 2 and further ones. */
  readonly streams: readonly Duplex[];
  /** Sends a signal to the process and its children, once it runs. */
  signal(name: NodeJS.Signals): void;
  /** Settles when the process has exited and its streams are closed. `error`: it could not be started. */
  readonly ended: Promise<{ readonly code: number | null } | { readonly error: string }>;
}

/**
 * A small process that starts others. Forking copies the page tables of the parent: with 200 MB of memory this blocked
 * the server for 45 ms on a virtual machine of two cores. The spawner uses 12 MB and needs a tenth of that time.
 */
interface ProcessSpawner {
  start(request: ProcessRequest): SpawnedProcess;
  /** Rejects new requests, and exits when none of its processes runs. */
  stop(): void;
}

/** Milliseconds without a request after which the spawner exits: an idle server does not need its memory. */
const IDLE_MS = 60_000;

// The program is next to this file, as a source or a bundle.
const PROGRAM = new URL(
  import.meta.url.endsWith('.ts') ? './process-spawner-program.ts' : './process-spawner-program.js',
  import.meta.url,
);

/** The spawner needs almost no memory. */
const NODE_FLAGS = ['--max-semi-space-size=1', '--max-old-space-size=64', '--no-warnings'];

interface TrackedProcess {
  pid: number | undefined;
  readonly streams: readonly Socket[];
  readonly exited: PromiseWithResolvers<{ code: number | null } | { error: string }>;
}

let spawner: ProcessSpawner | null = null;
let startingChild: ChildProcess | null = null;
/** Runs for a minute after the last start without a spawner. */
let recentStartTimer: NodeJS.Timeout | undefined;

/** Starts a process with the spawner; null if there is no spawner. The second start within a minute creates one. */
export function startInSpawner(request: ProcessRequest): SpawnedProcess | null {
  if (spawner !== null) return spawner.start(request);
  if (recentStartTimer !== undefined) startSpawner();
  clearTimeout(recentStartTimer);
  recentStartTimer = setTimeout(() => {
    recentStartTimer = undefined;
  }, IDLE_MS).unref();
  return null;
}

/** Stops the spawner when none of its processes runs, for idle servers. */
export function stopSpawner(): void {
  clearTimeout(recentStartTimer);
  recentStartTimer = undefined;
  if (startingChild?.connected) startingChild.disconnect();
  startingChild = null;
  spawner?.stop();
}

function startSpawner(): void {
  if (startingChild !== null) return;
  const child = fork(PROGRAM, {
    execArgv: NODE_FLAGS,
    // Not in the terminal's process group: Ctrl-C must reach only the server.
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: pickEnvironment('TMPDIR', 'NODE_COMPILE_CACHE'),
  });
  startingChild = child;
  child.unref();
  child.channel!.unref();
  const onStartFailed = () => {
    if (startingChild === child) startingChild = null;
  };
  // Without a spawner the server starts processes itself.
  child.on('error', onStartFailed).once('exit', onStartFailed);
  child.once('message', (message: SpawnerMessage) => {
    if (startingChild !== child || !('path' in message)) return;
    startingChild = null;
    spawner = connectSpawner(child, message.path);
  });
}

function pickEnvironment(...names: readonly string[]): NodeJS.ProcessEnv {
  return Object.fromEntries(
    names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}

function connectSpawner(child: ChildProcess, socketPath: string): ProcessSpawner {
  const processesById = new Map<number, TrackedProcess>();
  let lastId = 0;
  let idleTimer: NodeJS.Timeout | undefined;

  const detach = () => {
    if (spawner === self) spawner = null;
  };
  const stop = () => {
    clearTimeout(idleTimer);
    detach();
    if (processesById.size === 0 && child.connected) child.disconnect();
  };
  /** Called when no process runs: the channel no longer keeps the server alive, and the spawner exits after a while. */
  const onIdle = () => {
    child.channel?.unref();
    if (spawner !== self) stop();
    else idleTimer = setTimeout(stop, IDLE_MS).unref();
  };
  const sendCommand = (command: SpawnerCommand) => {
    if (child.connected) child.send(command, () => {});
  };
  const start = (request: ProcessRequest): SpawnedProcess => {
    const id = ++lastId;
    clearTimeout(idleTimer);
    if (processesById.size === 0) child.channel?.ref();
    const signal = (name: NodeJS.Signals) => sendCommand({ id, signal: name });
    const streams = Array.from({ length: request.streams }, (_, stream) => {
      const header = formatHeader(id, stream);
      const socket = connect(socketPath);
      let isHeaderSent = false;
      socket.write(header, (error) => {
        isHeaderSent = error == null;
      });
      // Without one of its streams the process would never start. An aborted stream is replaced by a closed one.
      const onClosed = () => isHeaderSent || openAndClose(socketPath, header, () => signal('SIGKILL'));
      return socket.on('error', () => {}).once('close', onClosed);
    });
    const entry: TrackedProcess = { pid: undefined, streams, exited: Promise.withResolvers() };
    processesById.set(id, entry);
    sendCommand({ ...request, id });
    const ended = entry.exited.promise.then(async (exited) => {
      processesById.delete(id);
      if (processesById.size === 0) onIdle();
      await closeStreams(streams);
      return exited;
    });
    return {
      get pid() {
        return entry.pid;
      },
      streams,
      signal,
      ended,
    };
  };

  child.on('message', (message: Exclude<SpawnerMessage, { path: string }>) => {
    const entry = processesById.get(message.id);
    if (entry === undefined) return;
    if ('pid' in message) entry.pid = message.pid;
    else entry.exited.resolve('error' in message ? { error: message.error } : { code: message.code });
  });
  // Without the spawner nobody reports the exits of its processes: kill them.
  const onSpawnerLost = () => {
    detach();
    for (const { pid, exited } of processesById.values()) {
      if (pid !== undefined) signalGroup(pid, 'SIGKILL');
      exited.resolve({ code: null });
    }
  };
  child.once('exit', onSpawnerLost).once('disconnect', onSpawnerLost);
  const self: ProcessSpawner = { start, stop };
  return self;
}

/** Opens a stream, sends its header and closes it, so that the spawner can start the process. */
function openAndClose(path: string, header: Buffer, onFailed: () => void): void {
  const socket = connect(path).on('error', onFailed);
  socket.write(header, () => socket.destroy());
}

/** Closes the input and discards unread output, as Node does for an exited process. */
async function closeStreams([stdin, ...others]: readonly Socket[]): Promise<void> {
  stdin?.destroy();
  const closing = others.map((stream) => {
    if (stream.closed) return undefined;
    if (stream.readableFlowing === null && stream.listenerCount('readable') === 0) stream.resume();
    return new Promise((resolve) => stream.once('close', resolve));
  });
  await Promise.all(closing);
}

/** Returns the `PATH` in which git is looked up. */
export function getGitPath(): string {
  return process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin';
}

/** Starts a process through the process spawner if it is available, otherwise directly. */
export function startProcess(request: ProcessRequest): SpawnedProcess {
  return startInSpawner(request) ?? startDirectly(request);
}

/** Starts a child process of the server itself, without the spawner. */
export function startDirectly({ file, args, env, streams }: ProcessRequest): SpawnedProcess {
  const stdio = Array.from({ length: streams }, () => 'pipe' as const);
  // A separate process group, so that a signal also reaches the children.
  const child = spawn(file, args, { cwd: '/', env, stdio, detached: true });
  const ended = new Promise<Awaited<SpawnedProcess['ended']>>((resolve) => {
    // Without a process there is no exit to wait for.
    child.on('error', (error) => child.pid === undefined && resolve({ error: error.message }));
    child.on('close', (code, signal) => resolve({ code: toExitCode(code, signal) }));
  });
  const signal = (name: NodeJS.Signals) => {
    if (child.pid !== undefined) signalGroup(child.pid, name);
  };
  return { pid: child.pid, streams: child.stdio as readonly unknown[] as Duplex[], signal, ended };
}
