import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HEADER, type Order, readHeader, type Said, type Wish } from './process-spawner-messages.ts';
import { signalGroup } from './signal-process-group.ts';

// What runs in the process that starts git's processes (`process-spawner.ts` says why): it gives each the sockets that the server has
// opened for it as its streams, keeps nothing of them, and tells when it has ended.

/** What Node has of a socket besides what it promises: nobody else lets a program read so many bytes and no more. */
interface Handle {
  readonly fd: number;
  setBlocking(blocking: boolean): void;
}

interface Waiting {
  order?: Order;
  readonly streams: Socket[];
}

/** Orders of which something has come, but not all; by their numbers. */
const waiting = new Map<number, Waiting>();
const running = new Map<number, ChildProcess>();
/** The newest order: they come in the order of their numbers. */
let latest = 0;
/** Milliseconds until a header that has not come yet is looked for again. */
const SOON = 1;

const directory = mkdtempSync(join(tmpdir(), 'hearth-start-'));
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
process.on('disconnect', () => process.exit());

const tell = (said: Said) => process.connected && process.send!(said);

function waitingOf(id: number): Waiting {
  let found = waiting.get(id);
  if (found === undefined) {
    found = { streams: [] };
    waiting.set(id, found);
  }
  return found;
}

function arrive(socket: Socket): void {
  const bytes = Buffer.alloc(HEADER);
  const read = readNow(socket, bytes);
  if (read === null) setTimeout(arrive, SOON, socket);
  // Whoever has opened it has gone, and tells of that by itself.
  else if (read < HEADER) socket.destroy();
  else {
    const { id, stream } = readHeader(bytes);
    // Its order was withdrawn before it came.
    if (id <= latest && !waiting.has(id)) return void socket.destroy();
    waitingOf(id).streams[stream] = socket;
    startIfWhole(id);
  }
}

/** Reads nothing that comes behind the header: that is for the process that is started. Null: nothing is there yet. */
function readNow(socket: Socket, bytes: Buffer): number | null {
  try {
    return readSync(handleOf(socket).fd, bytes);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EAGAIN' ? null : 0;
  }
}

const handleOf = (socket: Socket) => (socket as unknown as { _handle: Handle })._handle;

function startIfWhole(id: number): void {
  const { order, streams } = waitingOf(id);
  if (order === undefined || streams.filter(Boolean).length < order.streams) return;
  waiting.delete(id);
  // Programs do not expect that there may be nothing to read yet.
  for (const stream of streams) handleOf(stream).setBlocking(true);
  const child = spawned(order, streams);
  for (const stream of streams) stream.destroy();
  if (child === null) return;
  child.on('error', (error) => {
    if (child.pid === undefined) tell({ id, error: error.message });
  });
  if (child.pid === undefined) return;
  running.set(id, child);
  tell({ id, pid: child.pid });
  child.on('exit', (code) => {
    running.delete(id);
    tell({ id, code });
  });
}

/** Null: the system refuses, of which all that runs besides hears nothing. */
function spawned({ id, file, args, env }: Order, stdio: readonly Socket[]): ChildProcess | null {
  try {
    return spawn(file, args, { cwd: '/', env, stdio: [...stdio], detached: true });
  } catch (error) {
    tell({ id, error: (error as Error).message });
    return null;
  }
}

function signal(id: number, name: NodeJS.Signals): void {
  const pid = running.get(id)?.pid;
  if (pid !== undefined) signalGroup(pid, name);
  else if (waiting.has(id)) {
    for (const stream of waitingOf(id).streams) stream?.destroy();
    waiting.delete(id);
    tell({ id, code: null });
  }
}

process.on('message', (wish: Wish) => {
  if ('signal' in wish) {
    signal(wish.id, wish.signal);
    return;
  }
  latest = wish.id;
  waitingOf(wish.id).order = wish;
  startIfWhole(wish.id);
});

const server = createServer({ pauseOnConnect: true }, arrive);
const path = join(directory, 'socket');
server.listen(path, () => tell({ path }));
