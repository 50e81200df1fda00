import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { bodyTooLarge } from '#http/errors/http-error.ts';
import type { RawParameters } from '#http/parameters/brackets.ts';

/** A text that was written to a spool file. Its UTF-8 bytes can be read repeatedly while the file is open. */
export interface SpooledText {
  readonly [SPOOLED]: true;
  /** Bytes. */
  readonly size: number;
  chunks(): AsyncIterable<Buffer>;
}

/** Key that marks spooled texts; no parsed body contains it. */
const SPOOLED = Symbol('spooled text');

/** Returns whether a parameter is a spooled text. */
export function isSpooledText(value: unknown): value is SpooledText {
  return typeof value === 'object' && value !== null && SPOOLED in value;
}

/** Returns the text between two positions of the spool file (`end` exclusive). */
export function createSpooledText(spool: SpoolFile, start: number, end: number): SpooledText {
  return { [SPOOLED]: true, size: end - start, chunks: () => spool.read(start, end) };
}

/** Returns whether a parameter with this name is spooled: `content`, and `content` of each element of `actions`. */
export function isContentName(name: string): boolean {
  return name === 'content' || name.endsWith('[content]');
}

/**
 * Short placeholders that stand for the spooled texts while the rest of the body is parsed. They contain a random number, so that no
 * text in the body can be mistaken for one.
 */
export interface Placeholders {
  /** Returns the placeholder of the text that begins at this spool position. */
  begin(spoolOffset: number): string;
  /** Sets the end of the last text. */
  end(spoolOffset: number): void;
  /** Replaces the placeholders by the texts where contents are allowed. */
  restore(values: RawParameters): RawParameters;
}

/** Returns placeholders for the texts in this spool file, numbered in the order of the texts. */
export function createPlaceholders(spool: SpoolFile): Placeholders {
  const nonce = randomUUID();
  const texts: { start: number; end: number }[] = [];
  const toSpooledText = (value: unknown): unknown => {
    if (typeof value !== 'string' || !value.startsWith(nonce)) return value;
    const text = texts[Number(value.slice(nonce.length))];
    return text === undefined ? value : createSpooledText(spool, text.start, text.end);
  };
  const restoreContent = (values: unknown): void => {
    if (typeof values !== 'object' || values === null) return;
    const rawParams = values as RawParameters;
    if ('content' in rawParams) rawParams.content = toSpooledText(rawParams.content);
  };
  return {
    begin(spoolOffset) {
      texts.push({ start: spoolOffset, end: spoolOffset });
      return `${nonce}${texts.length - 1}`;
    },
    end(spoolOffset) {
      texts.at(-1)!.end = spoolOffset;
    },
    restore(values) {
      restoreContent(values);
      const { actions } = values;
      if (typeof actions === 'object' && actions !== null)
        for (const action of Object.values(actions)) restoreContent(action);
      return values;
    },
  };
}

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

/** Number of bytes that one read of a spool file returns. */
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

/** Incremental check for valid UTF-8; a character may be split between two chunks. */
interface Utf8Check {
  /** Returns false if the chunk contains invalid UTF-8. */
  push(chunk: Buffer): boolean;
  /** Returns false if the last character is incomplete. */
  end(): boolean;
}

/** Returns a check for one text. */
export function createUtf8Check(): Utf8Check {
  let incompleteBytes = Buffer.alloc(0);
  return {
    push(chunk) {
      const bytes = incompleteBytes.length === 0 ? chunk : Buffer.concat([incompleteBytes, chunk]);
      const completeLength = bytes.length - countIncompleteBytes(bytes);
      incompleteBytes = Buffer.from(bytes.subarray(completeLength));
      return isUtf8(bytes.subarray(0, completeLength));
    },
    end: () => incompleteBytes.length === 0,
  };
}

/** Returns the number of bytes of an incomplete character at the end. */
function countIncompleteBytes(bytes: Buffer): number {
  for (let distance = 1; distance <= Math.min(3, bytes.length); distance++) {
    const byte = bytes[bytes.length - distance]!;
    // A byte below 0x80 is a whole character, one below 0xc0 continues a character, and others begin one.
    if (byte < 0x80) return 0;
    if (byte < 0xc0) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return distance < length ? distance : 0;
  }
  return 0;
}

/** The body with placeholders for its `content` texts. It is parsed in memory, so its size is limited. */
export interface BodySkeleton {
  add(bytes: Buffer): void;
  toBuffer(): Buffer;
}

/** Maximum size of a body without its contents. */
const MAX_SKELETON_BYTES = 10 * 1024 * 1024;

/** Returns an empty skeleton. */
export function createBodySkeleton(): BodySkeleton {
  let bytes = Buffer.allocUnsafe(64 * 1024);
  let size = 0;
  return {
    add(chunk) {
      if (size + chunk.length > MAX_SKELETON_BYTES) throw bodyTooLarge();
      if (size + chunk.length > bytes.length) {
        const larger = Buffer.allocUnsafe(Math.max(bytes.length * 2, size + chunk.length));
        bytes.copy(larger, 0, 0, size);
        bytes = larger;
      }
      chunk.copy(bytes, size);
      size += chunk.length;
    },
    toBuffer: () => bytes.subarray(0, size),
  };
}
