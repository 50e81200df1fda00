import { constants } from 'node:os';

// Messages between the server and the spawner: commands and exits, and the header of each stream.

/** A process to start, with exactly this environment, `streams` streams and its own process group. */
export interface ProcessRequest {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly streams: number;
}

/** A request with its id. Its streams 0, 1, 2... are sockets that begin with a header. */
export interface SpawnCommand extends ProcessRequest {
  readonly id: number;
}

/** Sent by the server: start a process, or send a signal to one and all of its children. */
export type SpawnerCommand = SpawnCommand | { readonly id: number; readonly signal: NodeJS.Signals };

/** Sent by the spawner: its socket path, the id of a started process, a start error, or an exit. */
export type SpawnerMessage =
  | { readonly path: string }
  | { readonly id: number; readonly pid: number }
  | { readonly id: number; readonly error: string }
  | { readonly id: number; readonly code: number | null };

/** Bytes of a stream header: command id and stream number. */
export const HEADER_BYTES = 8;

/** Formats the header with which a stream begins. */
export function formatHeader(id: number, stream: number): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES);
  bytes.writeUInt32BE(id, 0);
  bytes.writeUInt32BE(stream, 4);
  return bytes;
}

/** Parses the header of a stream. */
export function parseHeader(bytes: Buffer): { readonly id: number; readonly stream: number } {
  return { id: bytes.readUInt32BE(0), stream: bytes.readUInt32BE(4) };
}

/** Exit code by which shells, and git for its own children, report a process that overflowed its stack. */
export const STACK_OVERFLOW_CODE = 128 + constants.signals.SIGSEGV;

/** Returns the exit code of a process; null if a signal ended it. Systems report a stack overflow by either of two signals. */
export function toExitCode(code: number | null, signal: NodeJS.Signals | null): number | null {
  return signal === 'SIGSEGV' || signal === 'SIGBUS' ? STACK_OVERFLOW_CODE : code;
}

/** Sends a signal to the leader of a process group and its children (index-pack, pack-objects, hooks). */
export function signalGroup(leader: number, name: NodeJS.Signals): void {
  try {
    process.kill(-leader, name);
  } catch {
    // The group has exited already.
  }
}
