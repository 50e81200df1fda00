import { pipeline } from 'node:stream';
import { crc32, createInflateRaw } from 'node:zlib';
import { createConcurrencyLimiter, type RequestClient } from '#runtime/concurrency-limiter.ts';
import { findDirectory, findEntry, type ZipDirectory, type ZipEntry } from './central-directory.ts';
import { LOCAL_HEADER, type ReadRange, readBytesAt, UnreadableArchive } from './records.ts';

export type { ReadRange } from './records.ts';

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
