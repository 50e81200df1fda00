import { type FileHandle, open, unlink } from 'node:fs/promises';

/**
 * A file for what is too large for memory while one request is answered. Its name is gone as soon as it is open, so
 * that nothing stays behind, whatever becomes of the process.
 */
export interface Spool {
  /** Bytes appended so far. */
  readonly size: number;
  /** The bytes are taken when it resolves: the buffer may be used again. One at a time. */
  append(bytes: Uint8Array): Promise<void>;
  /** The bytes from `start` up to `end`, which have been appended before. */
  read(start: number, end: number): AsyncGenerator<Buffer>;
  close(): Promise<void>;
}

const PIECE = 256 * 1024;

/** `path`: a name in an existing directory that nobody else uses. */
export async function openSpool(path: string): Promise<Spool> {
  const file = await open(path, 'wx+', 0o600);
  await unlink(path);
  let size = 0;
  return {
    get size() {
      return size;
    },
    async append(bytes) {
      for (let done = 0; done < bytes.length; ) {
        done += (await file.write(bytes, done, bytes.length - done, size + done)).bytesWritten;
      }
      size += bytes.length;
    },
    read: (start, end) => readPieces(file, start, end),
    close: () => file.close(),
  };
}

async function* readPieces(file: FileHandle, start: number, end: number): AsyncGenerator<Buffer> {
  for (let at = start; at < end; ) {
    const piece = Buffer.allocUnsafe(Math.min(PIECE, end - at));
    const { bytesRead } = await file.read(piece, 0, piece.length, at);
    if (bytesRead === 0) throw new Error(`The spool ends at ${at}, before ${end}`);
    at += bytesRead;
    yield piece.subarray(0, bytesRead);
  }
}
