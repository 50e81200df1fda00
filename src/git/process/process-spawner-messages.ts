// What server and starter tell each other: orders and ends as messages, and the first bytes of each stream.

/** A process to be started: it gets this environment and no other, `streams` streams, and a process group of its own. */
export interface Wanted {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly streams: number;
}

/** The same by its number. Its streams 0, 1, 2... are sockets that begin with a header. */
export interface Order extends Wanted {
  readonly id: number;
}

/** What the server wants: a process, or a signal to one and all that it has started. */
export type Wish = Order | { readonly id: number; readonly signal: NodeJS.Signals };

/** What the starter tells: where it listens; that a process runs, that none could be started, that one has ended. */
export type Said =
  | { readonly path: string }
  | { readonly id: number; readonly pid: number }
  | { readonly id: number; readonly error: string }
  | { readonly id: number; readonly code: number | null };

/** Bytes of a header: of which order, and which of its streams. */
export const HEADER = 8;

export function writeHeader(id: number, stream: number): Buffer {
  const bytes = Buffer.alloc(HEADER);
  bytes.writeUInt32BE(id, 0);
  bytes.writeUInt32BE(stream, 4);
  return bytes;
}

export function readHeader(bytes: Buffer): { readonly id: number; readonly stream: number } {
  return { id: bytes.readUInt32BE(0), stream: bytes.readUInt32BE(4) };
}
