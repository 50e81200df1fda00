import { createHash, type Hash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';

// The subset of tar for archives: plain files with short names, of any size (POSIX.1-2001: a pax record `size` for
// files larger than 8 GiB, or of unknown size when started). Libraries need the size of a file before its content,
// read the contents to list the entries, and accept more kinds of entries than allowed.

const BLOCK_BYTES = 512;

/** Largest number of eleven octal digits. */
const MAX_USTAR_SIZE = 0o77777777777;

/** Maximum size of pax records, in bytes. */
const MAX_PAX_BYTES = 64 * 1024;

/** Length of the name field of a header, in bytes. */
const MAX_NAME_LENGTH = 100;

/** Bytes of the headers before each file. */
const HEADERS_BYTES = 3 * BLOCK_BYTES;

export interface TarWriter {
  /** Adds a file with the content that `writeContent` writes; adds nothing if it throws. Returns size and SHA-256. */
  add(
    name: string,
    writeContent: (write: (bytes: Buffer) => Promise<void>) => Promise<void>,
  ): Promise<{ size: number; sha256: string }>;
  /** Writes the end of the archive and syncs the file. */
  end(): Promise<void>;
}

/** Creates a writer for an empty file. `time`: modification time of all entries. */
export function createTarWriter(file: FileHandle, time: Date): TarWriter {
  let position = 0;
  const writeAt = async (bytes: Buffer, offset: number) => {
    for (let doneBytes = 0; doneBytes < bytes.length; ) {
      doneBytes += (await file.write(bytes, doneBytes, bytes.length - doneBytes, offset + doneBytes)).bytesWritten;
    }
  };
  return {
    async add(name, writeContent) {
      const start = position;
      // The size is known only at the end, so the space for the headers is left free.
      const contentStart = start + HEADERS_BYTES;
      const hash = createHash('sha256');
      let size = 0;
      await writeContent(async (bytes) => {
        hash.update(bytes);
        await writeAt(bytes, contentStart + size);
        size += bytes.length;
      });
      const padding = (BLOCK_BYTES - (size % BLOCK_BYTES)) % BLOCK_BYTES;
      await writeAt(Buffer.alloc(padding), contentStart + size);
      await writeAt(buildHeaders(name, size, time), start);
      position = contentStart + size + padding;
      return { size, sha256: hash.digest('hex') };
    },
    async end() {
      await writeAt(Buffer.alloc(2 * BLOCK_BYTES), position);
      await file.truncate(position + 2 * BLOCK_BYTES);
      await file.sync();
    },
  };
}

/** Returns the headers of a file. They always have a pax record, so that their length is HEADERS_BYTES for any size. */
export function buildHeaders(name: string, size: number, time: Date): Buffer {
  const record = buildPaxRecord('size', String(size));
  return Buffer.concat([
    buildHeader(`pax/${name}`.slice(0, MAX_NAME_LENGTH), record.length, 'x', time),
    padToBlock(record),
    buildHeader(name, Math.min(size, MAX_USTAR_SIZE), '0', time),
  ]);
}

function padToBlock(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc((BLOCK_BYTES - (bytes.length % BLOCK_BYTES)) % BLOCK_BYTES)]);
}

/** Builds the record `<length> <key>=<value>\n`, where the length counts itself. */
function buildPaxRecord(key: string, value: string): Buffer {
  const record = ` ${key}=${value}\n`;
  let length = record.length + 1;
  while (String(length).length + record.length !== length) length = String(length).length + record.length;
  return Buffer.from(`${length}${record}`);
}

/** Builds a ustar header of one block. The numbers are the offsets of its fields in POSIX.1-2001. */
function buildHeader(name: string, size: number, type: '0' | 'x', time: Date): Buffer {
  if (name.length > MAX_NAME_LENGTH) throw new Error(`The name ${name} is too long for an archive`);
  const block = Buffer.alloc(BLOCK_BYTES);
  const toOctal = (value: number, digits: number) => value.toString(8).padStart(digits, '0');
  block.write(name, 0, 'latin1');
  block.write('0000600\0' + '0000000\0'.repeat(2), 100, 'latin1');
  block.write(`${toOctal(size, 11)} ${toOctal(Math.floor(time.getTime() / 1000), 11)} `, 124, 'latin1');
  block.write(type, 156, 'latin1');
  block.write('ustar\x0000', 257, 'latin1');
  block.write(`${toOctal(computeHeaderChecksum(block), 6)}\0 `, 148, 'latin1');
  return block;
}

/** Sums all bytes of the header, with spaces in the checksum field. */
function computeHeaderChecksum(block: Buffer): number {
  let sum = 8 * 0x20;
  for (let offset = 0; offset < BLOCK_BYTES; offset++) if (offset < 148 || offset >= 156) sum += block[offset]!;
  return sum;
}

/** Error of a file that is damaged or is not a tar archive. */
export class TarDamaged extends Error {
  override readonly name = 'TarDamaged';
}

export interface TarEntry {
  readonly name: string;
  readonly size: number;
  /** Position of the content in the archive. */
  readonly contentPosition: number;
}

/** Yields the entries without their contents, files only. Throws `TarDamaged`. */
export async function* readTarEntries(file: FileHandle): AsyncGenerator<TarEntry> {
  const { size: fileSize } = await file.stat();
  /** Size from the pax record before a file. */
  let declaredBytes: number | null = null;
  for (let position = 0; ; ) {
    const block = await readAt(file, position, BLOCK_BYTES);
    if (block.every((byte) => byte === 0)) return verifyEnd(file, position, fileSize, declaredBytes);
    const { name, size: headerSize, type } = parseHeader(block);
    const size: number = declaredBytes !== null && type === '0' ? declaredBytes : headerSize;
    const contentPosition = position + BLOCK_BYTES;
    const nextPosition = contentPosition + Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES;
    if (nextPosition > fileSize) throw new TarDamaged(`The archive ends in the middle of ${name}`);
    if (
      !(await readAt(file, contentPosition + size, nextPosition - contentPosition - size)).every((byte) => byte === 0)
    ) {
      throw new TarDamaged(`The padding after ${name} is not zero`);
    }
    if (type === 'x') {
      if (declaredBytes !== null || size > MAX_PAX_BYTES)
        throw new TarDamaged(`The extended header of ${name} is invalid`);
      declaredBytes = parsePaxSize(await readAt(file, contentPosition, size));
    } else {
      declaredBytes = null;
      yield { name, size, contentPosition };
    }
    position = nextPosition;
  }
}

/** Throws unless the rest of the file is at least two blocks of zeros. */
async function verifyEnd(
  file: FileHandle,
  position: number,
  fileSize: number,
  declaredBytes: number | null,
): Promise<void> {
  if (declaredBytes !== null || fileSize - position < 2 * BLOCK_BYTES)
    throw new TarDamaged('The end of the archive is missing');
  for (let offset = position; offset < fileSize; offset += CHUNK_BYTES) {
    const trailingBytes = await readAt(file, offset, Math.min(CHUNK_BYTES, fileSize - offset));
    if (!trailingBytes.every((byte) => byte === 0)) throw new TarDamaged('The archive contains data after its end');
  }
}

/** Parses the header of a file or of a pax record. Throws `TarDamaged` for all others. */
function parseHeader(block: Buffer): { name: string; size: number; type: '0' | 'x' } {
  const readField = (from: number, length: number) => block.toString('latin1', from, from + length).split('\0', 1)[0]!;
  const readNumber = (from: number, length: number) => {
    const digits = /^ *([0-7]+) *$/.exec(readField(from, length))?.[1];
    return digits === undefined ? Number.NaN : Number.parseInt(digits, 8);
  };
  if (readNumber(148, 8) !== computeHeaderChecksum(block))
    throw new TarDamaged('A header is damaged, or the file is not a tar archive');
  const name = readField(0, MAX_NAME_LENGTH);
  const size = readNumber(124, 12);
  const type = readField(156, 1);
  if (type !== '0' && type !== 'x') throw new TarDamaged(`${name} is not a regular file`);
  // Offset 345: a prefix of the name, which archives do not use.
  if (Number.isNaN(size) || readField(345, 155) !== '') throw new TarDamaged(`The header of ${name} is invalid`);
  return { name, size, type };
}

/** Returns the size in a pax record. Throws if the record is not one that `buildPaxRecord` builds. */
function parsePaxSize(record: Buffer): number {
  const text = record.toString('latin1');
  const digits = /^\d+ size=(\d{1,15})\n$/.exec(text)?.[1];
  if (digits === undefined || !buildPaxRecord('size', digits).equals(record)) {
    throw new TarDamaged('An extended header of the archive is invalid');
  }
  return Number(digits);
}

/** Maximum number of bytes per read. */
const CHUNK_BYTES = 2 ** 18;

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  for (let doneBytes = 0; doneBytes < length; ) {
    const { bytesRead } = await file.read(bytes, doneBytes, length - doneBytes, position + doneBytes);
    if (bytesRead === 0) throw new TarDamaged('The end of the archive is missing');
    doneBytes += bytesRead;
  }
  return bytes;
}

/** Yields the content of an entry in chunks. `hash` is updated with all of them. */
export async function* readContent(
  file: FileHandle,
  { contentPosition: at, size }: TarEntry,
  hash?: Hash,
): AsyncGenerator<Buffer> {
  for (let doneBytes = 0; doneBytes < size; doneBytes += CHUNK_BYTES) {
    const bytes = await readAt(file, at + doneBytes, Math.min(CHUNK_BYTES, size - doneBytes));
    hash?.update(bytes);
    yield bytes;
  }
}
