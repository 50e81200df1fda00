import { pipeline, type Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { crc32, createInflateRaw } from 'node:zlib';
import { createConcurrencyLimiter, type RequestClient } from '#runtime/concurrency-limiter.ts';
import { createYielder } from '#runtime/yielding.ts';

// Reads single files from zip archives, which are untrusted. The central directory is read in chunks, to limit memory use. Field
// offsets are those of the ZIP specification (APPNOTE.TXT). No library is used: yauzl needs eight times the CPU time for a
// long directory.

/** A file of an archive, decompressed while its reader consumes it. */
export interface UnpackedFile {
  /** Uncompressed size in bytes. */
  readonly size: number;
  /** The first bytes; empty for an empty file. */
  readonly firstChunk: Buffer;
  /** The remaining bytes. Fails before the end if the archive is inconsistent. */
  readonly remainingChunks: AsyncGenerator<Buffer>;
}

/** The maximum file size in bytes (the limit of zip without ZIP64). A larger file counts as missing. */
const MAX_FILE_BYTES = 0xffffffff;

/** Compression methods. */
const STORED = 0;
const DEFLATED = 8;
const INFLATE_CHUNK_BYTES = 64 * 1024;

/** Limits concurrent directory searches: a long directory takes about a second of CPU time. */
const directoryScanLimiter = createConcurrencyLimiter(2, { maxWaiting: 200, retryAfterSeconds: 5 });

/**
 * Opens the file with this name in a zip archive of this size. Returns null if it does not exist or cannot be read:
 * encrypted, too large, an unsupported compression, or an invalid archive.
 */
export async function unpackFile(
  read: ReadRange,
  archiveSize: number,
  name: string,
  client: RequestClient,
): Promise<UnpackedFile | null> {
  try {
    return await openFile(read, archiveSize, name, client);
  } catch (error) {
    if (error instanceof UnreadableArchive) return null;
    throw error;
  }
}

async function openFile(
  read: ReadRange,
  archiveSize: number,
  name: string,
  client: RequestClient,
): Promise<UnpackedFile | null> {
  const { directory, entry } = await directoryScanLimiter.run(
    async () => {
      const directory = await findDirectory(read, archiveSize);
      return { directory, entry: await findEntry(read, directory, name) };
    },
    { client },
  );
  if (entry === null || name.endsWith('/') || !isReadable(entry)) return null;
  const chunks = streamVerifiedContent(read, entry, await findDataStart(read, directory, entry));
  const first = await chunks.next();
  return { size: entry.size, firstChunk: first.done ? Buffer.alloc(0) : first.value, remainingChunks: chunks };
}

/** Tolerance for compressed sizes beyond the plausible maximum: deflated data is never much larger than its content. */
const COMPRESSION_OVERHEAD_BYTES = 64 * 1024;

function isReadable({ isEncrypted, method, compressedSize, size }: ZipEntry): boolean {
  if (isEncrypted || size > MAX_FILE_BYTES || compressedSize > 2 * size + COMPRESSION_OVERHEAD_BYTES) return false;
  return method === DEFLATED || (method === STORED && compressedSize === size);
}

/** Returns the offset of a file's data, which follows its local header of variable length. */
async function findDataStart(
  read: ReadRange,
  { start: directoryStart }: ZipDirectory,
  { localHeaderOffset: offset, compressedSize }: ZipEntry,
): Promise<number> {
  if (offset + LOCAL_HEADER.size > directoryStart) throw new UnreadableArchive();
  const localHeader = await readBytesAt(read, offset, LOCAL_HEADER.size);
  if (localHeader.readUInt32LE(0) !== LOCAL_HEADER.signature) throw new UnreadableArchive();
  const start = offset + LOCAL_HEADER.size + localHeader.readUInt16LE(26) + localHeader.readUInt16LE(28);
  if (start + compressedSize > directoryStart) throw new UnreadableArchive();
  return start;
}

/** Yields at most the declared number of bytes. The last chunk follows only after size and checksum are verified. */
async function* streamVerifiedContent(read: ReadRange, entry: ZipEntry, start: number): AsyncGenerator<Buffer> {
  let [bytesLeft, crc] = [entry.size, 0];
  let heldChunk: Buffer | null = null;
  for await (const chunk of streamInflatedContent(read, entry, start)) {
    bytesLeft -= chunk.length;
    if (bytesLeft < 0) throw new UnreadableArchive();
    crc = crc32(chunk, crc);
    if (heldChunk !== null) yield heldChunk;
    heldChunk = chunk;
  }
  if (bytesLeft !== 0 || crc !== entry.crc) throw new UnreadableArchive();
  if (heldChunk !== null) yield heldChunk;
}

async function* streamInflatedContent(
  read: ReadRange,
  { method, compressedSize }: ZipEntry,
  start: number,
): AsyncGenerator<Buffer> {
  if (compressedSize === 0) return;
  const bytes = await read(start, start + compressedSize - 1);
  if (method === STORED) {
    yield* bytes as AsyncIterable<Buffer>;
    return;
  }
  const inflateStream = pipeline(bytes, createInflateRaw({ chunkSize: INFLATE_CHUNK_BYTES }), () => {});
  try {
    yield* inflateStream as AsyncIterable<Buffer>;
  } catch (error) {
    // Error codes of zlib start with `Z_`; other errors come from the storage.
    throw String((error as NodeJS.ErrnoException).code).startsWith('Z_') ? new UnreadableArchive() : error;
  }
}

/** A directory entry of a file. The values come from the archive and are untrusted. */
interface ZipEntry {
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
interface ZipDirectory {
  readonly start: number;
  readonly length: number;
}

/** The maximum directory size in bytes, about half a million files. A longer one is not searched. */
const MAX_DIRECTORY_BYTES = 64 * 1024 * 1024;

/** Locates the central directory of an archive of this size in bytes. Throws `UnreadableArchive` if it is invalid. */
async function findDirectory(read: ReadRange, archiveSize: number): Promise<ZipDirectory> {
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
async function findEntry(read: ReadRange, { start, length }: ZipDirectory, name: string): Promise<ZipEntry | null> {
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

/** The value of a 32-bit field whose 64-bit number follows in the extra field of the entry. */
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

/** Opens a stream of an archive's bytes from `start` to `end`, both inclusive. */
export type ReadRange = (start: number, end: number) => Promise<Readable>;

/** Error for an archive that is invalid, inconsistent or in an unsupported format. */
class UnreadableArchive extends Error {
  constructor() {
    super('The zip archive is invalid or unsupported');
  }
}

/** The local header before each file. */
const LOCAL_HEADER = { signature: 0x04034b50, size: 30 } as const;

/** The directory entry of each file. */
const DIRECTORY_ENTRY = { signature: 0x02014b50, size: 46 } as const;

/** The end record with the position of the directory: at the end of the archive, before a comment. */
const END_RECORD = { signature: 0x06054b50, size: 22, maxCommentBytes: 0xffff } as const;

/** The ZIP64 end record for large archives; its locator is directly before `END_RECORD`. */
const ZIP64_END_RECORD = { signature: 0x06064b50, size: 56 } as const;
const ZIP64_LOCATOR = { signature: 0x07064b50, size: 20 } as const;

/** Reads exactly this many bytes from the offset. Throws `UnreadableArchive` if there are fewer. */
async function readBytesAt(read: ReadRange, start: number, length: number): Promise<Buffer> {
  const bytes = await buffer(await read(start, start + length - 1));
  if (bytes.length !== length) throw new UnreadableArchive();
  return bytes;
}

/** Reads a 64-bit number. Throws `UnreadableArchive` if it is not a safe integer. */
function readUInt64At(bytes: Buffer, offset: number): number {
  const value = Number(bytes.readBigUInt64LE(offset));
  if (!Number.isSafeInteger(value)) throw new UnreadableArchive();
  return value;
}
