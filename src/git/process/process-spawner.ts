import { type ChildProcess, fork } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Said, type Wanted, type Wish, writeHeader } from './process-spawner-messages.ts';
import { signalGroup } from './signal-process-group.ts';

/** A process that was asked for. Its streams are there at once, whether it runs already or not. */
export interface Started {
  /** Once it is known that it runs. */
  readonly pid: number | undefined;
  /** 0, 1, 2 and further ones. */
  readonly streams: readonly Duplex[];
  /** To it and to all that it has started, if it runs or will. */
  signal(name: NodeJS.Signals): void;
  /** Settles when it has ended and its streams are closed. `error`: there never was one. */
  readonly ended: Promise<{ readonly code: number | null } | { readonly error: string }>;
}

/**
 * A small process that starts others. A process that starts one is copied for that, page by page, while it does nothing else:
 * with 200 MB of memory this took the server 45 ms on a virtual machine of two cores, in which it answered nobody; the
 * starter has 12 MB of its own and takes a tenth.
 */
interface Starter {
  start(order: Wanted): Started;
  /** Takes no orders any more, and ends when nothing runs that it has started. */
  leave(): void;
}

/** Milliseconds without an order after which the starter ends: its memory is not needed by a server where little happens. */
const IDLE = 60_000;

// Beside the sources a source, beside the bundle a bundle.
const PROGRAM = new URL(
  import.meta.url.endsWith('.ts') ? './process-spawner-program.ts' : './process-spawner-program.js',
  import.meta.url,
);

/** It holds next to nothing. */
const FLAGS = ['--max-semi-space-size=1', '--max-old-space-size=64', '--no-warnings'];

interface Tracked {
  pid: number | undefined;
  readonly streams: readonly Socket[];
  readonly exited: PromiseWithResolvers<{ code: number | null } | { error: string }>;
}

let starter: Starter | null = null;
let beginning: ChildProcess | null = null;
/** Something was started a short while ago. */
let recent: NodeJS.Timeout | undefined;

/** Starts it through the starter; null where there is none. There will be one if this was not the first in a minute. */
export function startThrough(order: Wanted): Started | null {
  if (starter !== null) return starter.start(order);
  if (recent !== undefined) begin();
  clearTimeout(recent);
  recent = setTimeout(() => {
    recent = undefined;
  }, IDLE).unref();
  return null;
}

/** The starter ends as soon as nothing runs that it has started: for when little happens. */
export function leaveStarter(): void {
  clearTimeout(recent);
  recent = undefined;
  if (beginning?.connected) beginning.disconnect();
  beginning = null;
  starter?.leave();
}

function begin(): void {
  if (beginning !== null) return;
  const child = fork(PROGRAM, {
    execArgv: FLAGS,
    // Not the terminal's: who stops the server there stops it and not what it works with.
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: only('TMPDIR', 'NODE_COMPILE_CACHE'),
  });
  beginning = child;
  child.unref();
  child.channel!.unref();
  const gone = () => {
    if (beginning === child) beginning = null;
  };
  // Where it can't be started the server starts all by itself, as it does without one.
  child.on('error', gone).once('exit', gone);
  child.once('message', (said: Said) => {
    if (beginning !== child || !('path' in said)) return;
    beginning = null;
    starter = follow(child, said.path);
  });
}

function only(...names: readonly string[]): NodeJS.ProcessEnv {
  return Object.fromEntries(
    names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}

function follow(child: ChildProcess, path: string): Starter {
  const tracked = new Map<number, Tracked>();
  let count = 0;
  let idle: NodeJS.Timeout | undefined;

  const forget = () => {
    if (starter === self) starter = null;
  };
  const leave = () => {
    clearTimeout(idle);
    forget();
    if (tracked.size === 0 && child.connected) child.disconnect();
  };
  /** While something runs, its end is waited for. */
  const rest = () => {
    child.channel?.unref();
    if (starter !== self) leave();
    else idle = setTimeout(leave, IDLE).unref();
  };
  const say = (wish: Wish) => {
    if (child.connected) child.send(wish, () => {});
  };
  const start = (order: Wanted): Started => {
    const id = ++count;
    clearTimeout(idle);
    if (tracked.size === 0) child.channel?.ref();
    const signal = (name: NodeJS.Signals) => say({ id, signal: name });
    const streams = Array.from({ length: order.streams }, (_, stream) => {
      const header = writeHeader(id, stream);
      const socket = connect(path);
      let isThere = false;
      socket.write(header, (error) => {
        isThere = error == null;
      });
      // Without one of its streams it would never begin: what was given up before is at its end for it.
      const giveUp = () => isThere || openClosed(path, header, () => signal('SIGKILL'));
      return socket.on('error', () => {}).once('close', giveUp);
    });
    const here: Tracked = { pid: undefined, streams, exited: Promise.withResolvers() };
    tracked.set(id, here);
    say({ ...order, id });
    const end = here.exited.promise.then(async (exited) => {
      tracked.delete(id);
      if (tracked.size === 0) rest();
      await closed(streams);
      return exited;
    });
    return {
      get pid() {
        return here.pid;
      },
      streams,
      signal,
      ended: end,
    };
  };

  child.on('message', (said: Exclude<Said, { path: string }>) => {
    const here = tracked.get(said.id);
    if (here === undefined) return;
    if ('pid' in said) here.pid = said.pid;
    else here.exited.resolve('error' in said ? { error: said.error } : { code: said.code });
  });
  // What it has started has nobody left who tells of its end: it is stopped.
  const lost = () => {
    forget();
    for (const { pid, exited } of tracked.values()) {
      if (pid !== undefined) signalGroup(pid, 'SIGKILL');
      exited.resolve({ code: null });
    }
  };
  child.once('exit', lost).once('disconnect', lost);
  const self: Starter = { start, leave };
  return self;
}

function openClosed(path: string, header: Buffer, failed: () => void): void {
  const socket = connect(path).on('error', failed);
  socket.write(header, () => socket.destroy());
}

/** As Node does with a process that has ended: nobody reads its input any more, and what nobody wants to read passes by. */
async function closed([stdin, ...others]: readonly Socket[]): Promise<void> {
  stdin?.destroy();
  const each = others.map((stream) => {
    if (stream.closed) return undefined;
    if (stream.readableFlowing === null && stream.listenerCount('readable') === 0) stream.resume();
    return new Promise((resolve) => stream.once('close', resolve));
  });
  await Promise.all(each);
}
