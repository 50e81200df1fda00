import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** A text of a request that was too long to hold in memory: its UTF-8 bytes lie in a file of their own. */
export class SpilledText {
  readonly file: string;
  /** Bytes. */
  readonly size: number;

  constructor(file: string, size: number) {
    this.file = file;
    this.size = size;
  }

  chunks(): AsyncIterable<Buffer> {
    return createReadStream(this.file) as AsyncIterable<Buffer>;
  }
}

/** The files of one request, removed with it. */
export interface Spills {
  create(): Promise<SpillFile>;
  dispose(): Promise<void>;
}

export interface SpillFile {
  write(bytes: Uint8Array): Promise<void>;
  end(): Promise<SpilledText>;
}

export function createSpills(dataDir: string): Spills {
  const directory = join(dataDir, 'tmp', randomUUID());
  const handles = new Set<FileHandle>();
  let made = 0;
  return {
    async create() {
      await mkdir(directory, { recursive: true });
      const file = join(directory, String(made++));
      const handle = await open(file, 'wx', 0o600);
      handles.add(handle);
      let size = 0;
      return {
        async write(bytes) {
          size += bytes.byteLength;
          await handle.writeFile(bytes);
        },
        async end() {
          handles.delete(handle);
          await handle.close();
          return new SpilledText(file, size);
        },
      };
    },
    async dispose() {
      for (const handle of handles) await handle.close();
      handles.clear();
      if (made > 0) await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Decodes base64 text into another file; line breaks and missing padding are fine. Null: it is no base64. */
export async function decodeSpilledBase64(text: SpilledText, spills: Spills): Promise<SpilledText | null> {
  const decoded = await spills.create();
  let rest = '';
  let ended = false;
  for await (const chunk of text.chunks()) {
    const letters = (rest + chunk.toString('latin1')).replace(/[\r\n]/g, '');
    const usable = letters.length - (letters.length % 4);
    const piece = letters.slice(0, usable);
    rest = letters.slice(usable);
    if (piece === '') continue;
    if (ended || !/^[A-Za-z0-9+/]*={0,2}$/.test(piece)) return null;
    ended = piece.endsWith('=');
    await decoded.write(Buffer.from(piece, 'base64'));
  }
  if (rest !== '' && (ended || !/^[A-Za-z0-9+/]{2,3}=?$/.test(rest))) return null;
  await decoded.write(Buffer.from(rest, 'base64'));
  return decoded.end();
}
