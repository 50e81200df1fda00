import { type FileHandle, open, rm } from 'node:fs/promises';

/** Temporary data in an unlinked file, which the system deletes when the process ends. */
export interface Spool extends AsyncDisposable {
  /** Appends bytes and returns their position. */
  add(bytes: Buffer): Promise<number>;
  /** Reads bytes from a position that `add` returned. */
  read(position: number, length: number): Promise<Buffer>;
  /** Returns the size in bytes. */
  size(): number;
}

/** Creates a spool. `path` must be unused; its file is unlinked immediately. */
export async function openSpool(path: string): Promise<Spool> {
  await rm(path, { force: true });
  const file: FileHandle = await open(path, 'wx+', 0o600);
  await rm(path);
  let end = 0;
  return {
    async add(bytes) {
      const position = end;
      end += bytes.length;
      for (let doneBytes = 0; doneBytes < bytes.length; ) {
        doneBytes += (await file.write(bytes, doneBytes, bytes.length - doneBytes, position + doneBytes)).bytesWritten;
      }
      return position;
    },
    async read(position, length) {
      const bytes = Buffer.alloc(length);
      for (let doneBytes = 0; doneBytes < length; ) {
        const { bytesRead } = await file.read(bytes, doneBytes, length - doneBytes, position + doneBytes);
        if (bytesRead === 0) throw new Error('The spool file is shorter than the data written to it');
        doneBytes += bytesRead;
      }
      return bytes;
    },
    size: () => end,
    [Symbol.asyncDispose]: () => file.close(),
  };
}
