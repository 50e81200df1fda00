import { type FileHandle, open, rm } from 'node:fs/promises';

/** What is noted on the way and needed later, kept in a file without a name: nothing is left of it whatever happens. */
export interface Spool extends AsyncDisposable {
  /** Where what is added begins. */
  add(bytes: Buffer): Promise<number>;
  read(at: number, length: number): Promise<Buffer>;
  /** Bytes that it holds. */
  size(): number;
}

/** `path`: of a file that nobody has, which is there for a moment. */
export async function openSpool(path: string): Promise<Spool> {
  await rm(path, { force: true });
  const file: FileHandle = await open(path, 'wx+', 0o600);
  await rm(path);
  let end = 0;
  return {
    async add(bytes) {
      const at = end;
      end += bytes.length;
      for (let done = 0; done < bytes.length; ) {
        done += (await file.write(bytes, done, bytes.length - done, at + done)).bytesWritten;
      }
      return at;
    },
    async read(at, length) {
      const bytes = Buffer.alloc(length);
      for (let done = 0; done < length; ) {
        const { bytesRead } = await file.read(bytes, done, length - done, at + done);
        if (bytesRead === 0) throw new Error('A spool ends before what was added to it');
        done += bytesRead;
      }
      return bytes;
    },
    size: () => end,
    [Symbol.asyncDispose]: () => file.close(),
  };
}
