import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  HEADER_BYTES,
  parseHeader,
  type SpawnCommand,
  type SpawnerCommand,
  type SpawnerMessage,
  signalGroup,
  toExitCode,
} from './process-spawner-messages.ts';

// Program of the process that starts git processes (see `process-spawner.ts`). It passes the sockets that the server
// opened as streams to each process, and reports when the process exits.

/** Internals of a Node socket. No public API reads exactly this many bytes. */
interface Handle {
  readonly fd: number;
  setBlocking(blocking: boolean): void;
}

interface IncompleteCommand {
  command?: SpawnCommand;
  readonly streams: Socket[];
}

/** Commands that have not all of their streams yet, or streams without their command, by id. */
const incompleteCommandsById = new Map<number, IncompleteCommand>();
/** Running processes by the id of their command. */
const childrenById = new Map<number, ChildProcess>();
/** Id of the latest command; ids arrive in ascending order. */
let latestId = 0;
/** Milliseconds until a missing header is read again. */
const RETRY_MS = 1;

const directory = mkdtempSync(join(tmpdir(), 'hearth-start-'));
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
process.on('disconnect', () => process.exit());

const sendMessage = (message: SpawnerMessage) => process.connected && process.send!(message);

function getOrCreateWaiting(id: number): IncompleteCommand {
  let entry = incompleteCommandsById.get(id);
  if (entry === undefined) {
    entry = { streams: [] };
    incompleteCommandsById.set(id, entry);
  }
  return entry;
}

function onConnection(socket: Socket): void {
  const bytes = Buffer.alloc(HEADER_BYTES);
  const bytesRead = readAvailable(socket, bytes);
  if (bytesRead === null) setTimeout(onConnection, RETRY_MS, socket);
  // The opener has disconnected, and reports that itself.
  else if (bytesRead < HEADER_BYTES) socket.destroy();
  else {
    const { id, stream } = parseHeader(bytes);
    // Its command was cancelled before the stream arrived.
    if (id <= latestId && !incompleteCommandsById.has(id)) return void socket.destroy();
    getOrCreateWaiting(id).streams[stream] = socket;
    startIfComplete(id);
  }
}

/** Reads only the header: the rest is for the started process. Returns the number of bytes; null if nothing has
 * arrived yet, 0 if the stream is closed or broken. */
function readAvailable(socket: Socket, bytes: Buffer): number | null {
  try {
    return readSync(getHandle(socket).fd, bytes);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EAGAIN' ? null : 0;
  }
}

const getHandle = (socket: Socket) => (socket as unknown as { _handle: Handle })._handle;

function startIfComplete(id: number): void {
  const { command, streams } = getOrCreateWaiting(id);
  if (command === undefined || streams.filter(Boolean).length < command.streams) return;
  incompleteCommandsById.delete(id);
  // Programs expect blocking streams.
  for (const stream of streams) getHandle(stream).setBlocking(true);
  const child = trySpawn(command, streams);
  for (const stream of streams) stream.destroy();
  if (child === null) return;
  child.on('error', (error) => {
    if (child.pid === undefined) sendMessage({ id, error: error.message });
  });
  if (child.pid === undefined) return;
  childrenById.set(id, child);
  sendMessage({ id, pid: child.pid });
  child.on('exit', (code, signal) => {
    childrenById.delete(id);
    sendMessage({ id, code: toExitCode(code, signal) });
  });
}

/** Starts a process. Returns null if the system cannot start it; other processes are not affected. */
function trySpawn({ id, file, args, env }: SpawnCommand, stdio: readonly Socket[]): ChildProcess | null {
  try {
    return spawn(file, args, { cwd: '/', env, stdio: [...stdio], detached: true });
  } catch (error) {
    sendMessage({ id, error: (error as Error).message });
    return null;
  }
}

function signalProcess(id: number, name: NodeJS.Signals): void {
  const pid = childrenById.get(id)?.pid;
  if (pid !== undefined) signalGroup(pid, name);
  else if (incompleteCommandsById.has(id)) {
    for (const stream of getOrCreateWaiting(id).streams) stream?.destroy();
    incompleteCommandsById.delete(id);
    sendMessage({ id, code: null });
  }
}

process.on('message', (command: SpawnerCommand) => {
  if ('signal' in command) {
    signalProcess(command.id, command.signal);
    return;
  }
  latestId = command.id;
  getOrCreateWaiting(command.id).command = command;
  startIfComplete(command.id);
});

const server = createServer({ pauseOnConnect: true }, onConnection);
const socketPath = join(directory, 'socket');
server.listen(socketPath, () => sendMessage({ path: socketPath }));
