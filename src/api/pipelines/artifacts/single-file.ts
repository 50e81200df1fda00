import { Readable } from 'node:stream';
import { openBlob } from '#blobs/index.ts';
import type { StreamReply } from '#http/endpoint/responses.ts';
import type { Services } from '#http/services.ts';
import { createConcurrencySlots } from '#rate-limits/concurrency-slots.ts';
import { buildRawHeaders } from '#repositories/raw-content.ts';
import type { RequestClient } from '#runtime/concurrency-limiter.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { type ReadRange, type UnpackedFile, unpackFile } from '../zip-files/index.ts';
import type { AuthorizedArchive } from './download.ts';

/** Bytes above which a download occupies a slot, because unpacking lasts as long as the client reads. */
const MAX_BYTES_WITHOUT_SLOT = 1024 * 1024;
/** Limits concurrent downloads of large files per client network and in total. */
const downloadSlots = createConcurrencySlots({ perNetwork: 8, total: 32 });

/**
 * Streams one file of an archive like a raw file (contract/repository.md §1), unpacking it on the fly. Fails with
 * `fileNotFound` if the file is missing or unreadable, and with `archiveNotFound` if the content of the archive no
 * longer exists.
 */
export async function sendArchivedFile(
  { blobs }: Pick<Services, 'blobs'>,
  archive: AuthorizedArchive,
  path: string,
  { client }: { readonly client: RequestClient },
): Promise<StreamReply | Failure<'archiveNotFound' | 'fileNotFound'>> {
  let blobExists = true;
  const readRange: ReadRange = async (start, end) => {
    const blob = await openBlob(blobs, archive.sha256, { start, end });
    blobExists = blob !== null;
    return blob?.stream ?? Readable.from([]);
  };
  const file = await unpackFile(readRange, archive.size, path, client);
  if (file === null) return fail(blobExists ? 'fileNotFound' : 'archiveNotFound');
  const releaseSlot = file.size > MAX_BYTES_WITHOUT_SLOT ? await acquireSlot(file, { client }) : () => {};
  const name = path.slice(path.lastIndexOf('/') + 1);
  return {
    headers: { ...buildRawHeaders(name, file.firstChunk, file.size), 'Content-Length': String(file.size) },
    body: toStream(file, releaseSlot),
  };
}

/** Acquires a download slot, and releases the unpacker if the client disconnects while it waits. */
async function acquireSlot(
  { remainingChunks }: UnpackedFile,
  { client }: { readonly client: RequestClient },
): Promise<() => void> {
  try {
    return await downloadSlots.take(client.network, client);
  } catch (error) {
    await remainingChunks.return(undefined);
    throw error;
  }
}

function toStream({ firstChunk, remainingChunks }: UnpackedFile, releaseSlot: () => void): Readable {
  const body = Readable.from(concatChunks(firstChunk, remainingChunks), { objectMode: false });
  // If the client never starts to read, only this call ends the generator.
  return body.once('close', () => {
    releaseSlot();
    void remainingChunks.return(undefined);
  });
}

async function* concatChunks(firstChunk: Buffer, remainingChunks: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  if (firstChunk.length > 0) yield firstChunk;
  yield* remainingChunks;
}
