import { createYielder } from '#runtime/yielding.ts';
import {
  DIRECTORY_ENTRY,
  END_RECORD,
  type ReadRange,
  readBytesAt,
  readUInt64At,
  UnreadableArchive,
  ZIP64_END_RECORD,
  ZIP64_LOCATOR,
} from './records.ts';

/** Finds a file in the central directory of an archive. Reads it in chunks, to limit memory use. */

/** A directory entry of a file. Its values are untrusted. */
export interface ZipEntry {
  readonly encrypted: boolean;
  /** 0: stored, 8: deflated. */
  readonly method: number;
  readonly crc: number;
  /** Compressed and uncompressed size in bytes. */
  readonly packed: number;
  readonly size: number;
  /** The offset of its local header. */
  readonly offset: number;
}

export interface ZipDirectory {
  readonly start: number;
  readonly length: number;
}

/** The maximum directory size in bytes, about half a million files. A longer one is not searched. */
const MAX_DIRECTORY_BYTES = 64 * 1024 * 1024;

/** Locates the directory of an archive of this size in bytes. */
export async function findDirectory(read: ReadRange, archiveSize: number): Promise<ZipDirectory> {
  const tailLength = Math.min(archiveSize, END_RECORD.size + END_RECORD.maxCommentBytes + ZIP64_LOCATOR.size);
  if (tailLength < END_RECORD.size) throw new UnreadableArchive();
  const tail = await readBytesAt(read, archiveSize - tailLength, tailLength);
  const at = findEndRecord(tail);
  const end = archiveSize - tailLength + at;
  const locatorAt = at - ZIP64_LOCATOR.size;
  const isLong = locatorAt >= 0 && tail.readUInt32LE(locatorAt) === ZIP64_LOCATOR.signature;
  const directory = isLong
    ? await readZip64Directory(read, readUInt64At(tail, locatorAt + 8), end)
    : { start: tail.readUInt32LE(at + 16), length: tail.readUInt32LE(at + 12) };
  if (directory.start + directory.length > end || directory.length > MAX_DIRECTORY_BYTES) throw new UnreadableArchive();
  return directory;
}

/** Returns the offset of the last end record whose comment ends exactly at the end of the archive. */
function findEndRecord(tail: Buffer): number {
  for (let at = tail.length - END_RECORD.size; at >= 0; at--) {
    if (tail.readUInt32LE(at) !== END_RECORD.signature) continue;
    if (tail.readUInt16LE(at + 20) === tail.length - at - END_RECORD.size) return at;
  }
  throw new UnreadableArchive();
}

async function readZip64Directory(read: ReadRange, at: number, end: number): Promise<ZipDirectory> {
  if (at + ZIP64_END_RECORD.size > end) throw new UnreadableArchive();
  const record = await readBytesAt(read, at, ZIP64_END_RECORD.size);
  if (record.readUInt32LE(0) !== ZIP64_END_RECORD.signature) throw new UnreadableArchive();
  return { start: readUInt64At(record, 48), length: readUInt64At(record, 40) };
}

/** Returns the first entry with exactly this name (compared as bytes), or null. */
export async function findEntry(
  read: ReadRange,
  { start, length }: ZipDirectory,
  name: string,
): Promise<ZipEntry | null> {
  if (length === 0) return null;
  const wanted = Buffer.from(name);
  const yieldIfDue = createYielder();
  let buffered: Buffer = Buffer.alloc(0);
  for await (const chunk of (await read(start, start + length - 1)) as AsyncIterable<Buffer>) {
    buffered = buffered.length === 0 ? chunk : Buffer.concat([buffered, chunk]);
    const { entry, at } = findEntryInBytes(buffered, wanted);
    if (entry !== null) return entry;
    buffered = buffered.subarray(at);
    await yieldIfDue();
  }
  return null;
}

/** Returns the entry with this name among the complete entries in these bytes, and where those end. */
function findEntryInBytes(bytes: Buffer, wanted: Buffer): { readonly entry: ZipEntry | null; readonly at: number } {
  let at = 0;
  while (at + DIRECTORY_ENTRY.size <= bytes.length) {
    if (bytes.readUInt32LE(at) !== DIRECTORY_ENTRY.signature) throw new UnreadableArchive();
    const nameLength = bytes.readUInt16LE(at + 28);
    const extraLength = bytes.readUInt16LE(at + 30);
    const extraOffset = at + DIRECTORY_ENTRY.size + nameLength;
    const next = extraOffset + extraLength + bytes.readUInt16LE(at + 32);
    if (next > bytes.length) break;
    const isMatch =
      nameLength === wanted.length && wanted.equals(bytes.subarray(at + DIRECTORY_ENTRY.size, extraOffset));
    if (isMatch) return { entry: parseEntry(bytes, at, bytes.subarray(extraOffset, extraOffset + extraLength)), at };
    at = next;
  }
  return { entry: null, at };
}

function parseEntry(bytes: Buffer, at: number, extraFields: Buffer): ZipEntry {
  const long = new Zip64Numbers(extraFields);
  const size = long.or(bytes.readUInt32LE(at + 24));
  const packedSize = long.or(bytes.readUInt32LE(at + 20));
  const offset = long.or(bytes.readUInt32LE(at + 42));
  return {
    encrypted: (bytes.readUInt16LE(at + 8) & 1) === 1,
    method: bytes.readUInt16LE(at + 10),
    crc: bytes.readUInt32LE(at + 16),
    packed: packedSize,
    size,
    offset,
  };
}

const ZIP64_MARKER = 0xffffffff;
const ZIP64_FIELD_ID = 1;

/** Reads 64-bit numbers from the extra field, which contains them in order for each field that overflowed. */
class Zip64Numbers {
  #left: Buffer = Buffer.alloc(0);

  constructor(extraFields: Buffer) {
    for (let at = 0; at + 4 <= extraFields.length; ) {
      const end = at + 4 + extraFields.readUInt16LE(at + 2);
      if (extraFields.readUInt16LE(at) === ZIP64_FIELD_ID) this.#left = extraFields.subarray(at + 4, end);
      at = end;
    }
  }

  or(value: number): number {
    if (value !== ZIP64_MARKER) return value;
    if (this.#left.length < 8) throw new UnreadableArchive();
    const long = readUInt64At(this.#left, 0);
    this.#left = this.#left.subarray(8);
    return long;
  }
}
