import { type FileHandle, open, unlink } from 'node:fs/promises';

/**
 * A temporary file for one request. It is unlinked as soon as it is open, so that nothing remains if the process dies.
 */
export interface SpoolFile {
  /** Bytes appended so far. */
  readonly size: number;
  /** Appends bytes. The buffer may be reused after the promise resolves. One call at a time. */
  append(bytes: Uint8Array): Promise<void>;
  /** Reads the bytes from `start` to `end` (exclusive), which must have been appended. */
  read(start: number, end: number): AsyncGenerator<Buffer>;
  close(): Promise<void>;
}

const CHUNK_SIZE = 256 * 1024;

/** Opens a spool file. `path` must be an unused name in an existing directory. */
export async function openSpoolFile(path: string): Promise<SpoolFile> {
  const file = await open(path, 'wx+', 0o600);
  await unlink(path);
  let size = 0;
  return {
    get size() {
      return size;
    },
    async append(bytes) {
      for (let writtenBytes = 0; writtenBytes < bytes.length; ) {
        writtenBytes += (await file.write(bytes, writtenBytes, bytes.length - writtenBytes, size + writtenBytes))
          .bytesWritten;
      }
      size += bytes.length;
    },
    read: (start, end) => readChunks(file, start, end),
    close: () => file.close(),
  };
}

async function* readChunks(file: FileHandle, start: number, end: number): AsyncGenerator<Buffer> {
  for (let position = start; position < end; ) {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_SIZE, end - position));
    const { bytesRead } = await file.read(chunk, 0, chunk.length, position);
    if (bytesRead === 0) throw new Error(`Spool file ends at byte ${position}, expected ${end}`);
    position += bytesRead;
    yield chunk.subarray(0, bytesRead);
  }
}
