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

/**
 * Finds a file in the central directory of an archive. Reads the directory in chunks, to limit memory use. Field
 * offsets are those of the ZIP specification. No library is used: yauzl needs eight times the CPU time for a long directory.
 */

/** A directory entry of a file. The values come from the archive and are untrusted. */
export interface ZipEntry {
  readonly isEncrypted: boolean;
  /** Compression method. 0: stored, 8: deflated. */
  readonly method: number;
  readonly crc: number;
  /** Compressed size in bytes. */
  readonly compressedSize: number;
  /** Uncompressed size in bytes. */
  readonly size: number;
  /** The offset of its local header. */
  readonly localHeaderOffset: number;
}

/** The position of the central directory in the archive, in bytes. */
export interface ZipDirectory {
  readonly start: number;
  readonly length: number;
}

/** The maximum directory size in bytes, about half a million files. A longer one is not searched. */
const MAX_DIRECTORY_BYTES = 64 * 1024 * 1024;

/** Locates the central directory of an archive of this size in bytes. Throws `UnreadableArchive` if it is invalid. */
export async function findDirectory(read: ReadRange, archiveSize: number): Promise<ZipDirectory> {
  const tailLength = Math.min(archiveSize, END_RECORD.size + END_RECORD.maxCommentBytes + ZIP64_LOCATOR.size);
  if (tailLength < END_RECORD.size) throw new UnreadableArchive();
  const tail = await readBytesAt(read, archiveSize - tailLength, tailLength);
  const recordOffset = findEndRecord(tail);
  const end = archiveSize - tailLength + recordOffset;
  const locatorOffset = recordOffset - ZIP64_LOCATOR.size;
  const isZip64 = locatorOffset >= 0 && tail.readUInt32LE(locatorOffset) === ZIP64_LOCATOR.signature;
  const directory = isZip64
    ? await readZip64Directory(read, readUInt64At(tail, locatorOffset + 8), end)
    : { start: tail.readUInt32LE(recordOffset + 16), length: tail.readUInt32LE(recordOffset + 12) };
  if (directory.start + directory.length > end || directory.length > MAX_DIRECTORY_BYTES) throw new UnreadableArchive();
  return directory;
}

/** Returns the offset in `tail` of the last end record whose comment ends exactly at the end of the archive. */
function findEndRecord(tail: Buffer): number {
  for (let offset = tail.length - END_RECORD.size; offset >= 0; offset--) {
    if (tail.readUInt32LE(offset) !== END_RECORD.signature) continue;
    if (tail.readUInt16LE(offset + 20) === tail.length - offset - END_RECORD.size) return offset;
  }
  throw new UnreadableArchive();
}

/** Reads the position of the directory from the ZIP64 end record. `end`: offset of the end record. */
async function readZip64Directory(read: ReadRange, offset: number, end: number): Promise<ZipDirectory> {
  if (offset + ZIP64_END_RECORD.size > end) throw new UnreadableArchive();
  const record = await readBytesAt(read, offset, ZIP64_END_RECORD.size);
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
  const nameBytes = Buffer.from(name);
  const yieldIfDue = createYielder();
  let buffered: Buffer = Buffer.alloc(0);
  for await (const chunk of (await read(start, start + length - 1)) as AsyncIterable<Buffer>) {
    buffered = buffered.length === 0 ? chunk : Buffer.concat([buffered, chunk]);
    const { entry, offset } = findEntryInBytes(buffered, nameBytes);
    if (entry !== null) return entry;
    buffered = buffered.subarray(offset);
    await yieldIfDue();
  }
  return null;
}

/** Returns the entry with this name among the complete entries in these bytes, and the offset after those. */
function findEntryInBytes(
  bytes: Buffer,
  nameBytes: Buffer,
): { readonly entry: ZipEntry | null; readonly offset: number } {
  let offset = 0;
  while (offset + DIRECTORY_ENTRY.size <= bytes.length) {
    if (bytes.readUInt32LE(offset) !== DIRECTORY_ENTRY.signature) throw new UnreadableArchive();
    const nameLength = bytes.readUInt16LE(offset + 28);
    const extraLength = bytes.readUInt16LE(offset + 30);
    const extraOffset = offset + DIRECTORY_ENTRY.size + nameLength;
    const nextOffset = extraOffset + extraLength + bytes.readUInt16LE(offset + 32);
    if (nextOffset > bytes.length) break;
    const isMatch =
      nameLength === nameBytes.length && nameBytes.equals(bytes.subarray(offset + DIRECTORY_ENTRY.size, extraOffset));
    if (isMatch)
      return { entry: parseEntry(bytes, offset, bytes.subarray(extraOffset, extraOffset + extraLength)), offset };
    offset = nextOffset;
  }
  return { entry: null, offset };
}

function parseEntry(bytes: Buffer, entryOffset: number, extraFields: Buffer): ZipEntry {
  const zip64Numbers = new Zip64Numbers(extraFields);
  // The extra field contains the numbers in this order.
  const size = zip64Numbers.resolve(bytes.readUInt32LE(entryOffset + 24));
  const compressedSize = zip64Numbers.resolve(bytes.readUInt32LE(entryOffset + 20));
  const localHeaderOffset = zip64Numbers.resolve(bytes.readUInt32LE(entryOffset + 42));
  return {
    isEncrypted: (bytes.readUInt16LE(entryOffset + 8) & 1) === 1,
    method: bytes.readUInt16LE(entryOffset + 10),
    crc: bytes.readUInt32LE(entryOffset + 16),
    compressedSize,
    size,
    localHeaderOffset,
  };
}

/** The value of a 32-bit field whose number is in the extra field. */
const ZIP64_MARKER = 0xffffffff;
const ZIP64_FIELD_ID = 1;

/** Reads the 64-bit numbers of an extra field: in order, one for each 32-bit field that contains the marker. */
class Zip64Numbers {
  #remainingBytes: Buffer = Buffer.alloc(0);

  constructor(extraFields: Buffer) {
    for (let offset = 0; offset + 4 <= extraFields.length; ) {
      const end = offset + 4 + extraFields.readUInt16LE(offset + 2);
      if (extraFields.readUInt16LE(offset) === ZIP64_FIELD_ID)
        this.#remainingBytes = extraFields.subarray(offset + 4, end);
      offset = end;
    }
  }

  /** Returns the value, or the next 64-bit number if the value is the marker. */
  resolve(value: number): number {
    if (value !== ZIP64_MARKER) return value;
    if (this.#remainingBytes.length < 8) throw new UnreadableArchive();
    const longValue = readUInt64At(this.#remainingBytes, 0);
    this.#remainingBytes = this.#remainingBytes.subarray(8);
    return longValue;
  }
}
