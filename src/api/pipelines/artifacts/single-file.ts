import { Readable } from 'node:stream';
import { openBlob } from '#blobs/index.ts';
import type { StreamReply } from '#http/endpoint/responses.ts';
import type { Services } from '#http/services.ts';
import { createPlaces } from '#rate-limits/concurrency-slots.ts';
import type { Receiver } from '#rate-limits/stream-limits.ts';
import { rawHeaders } from '#repositories/raw-content.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { type ReadRange, type Unpacked, unpackFile } from '../zip-files/index.ts';
import type { AllowedArchive } from './download.ts';

/** What larger files take is unpacked for as long as their clients like. */
const SMALL = 1024 * 1024;
const places = createPlaces({ each: 8, all: 32 });

/**
 * One file of an archive, sent as raw files are (contract/repository.md §1), unpacked while it flows. `noFile`: it is not
 * there, or can't be read; `none`: the archive's content is gone.
 */
export async function sendFileOf(
  { blobs }: Pick<Services, 'blobs'>,
  archive: AllowedArchive,
  path: string,
  { client, clientAddress }: Receiver,
): Promise<StreamReply | Failure<'none' | 'noFile'>> {
  let isThere = true;
  const read: ReadRange = async (start, end) => {
    const blob = await openBlob(blobs, archive.sha256, { start, end });
    isThere = blob !== null;
    return blob?.stream ?? Readable.from([]);
  };
  const file = await unpackFile(read, archive.size, path, client);
  if (file === null) return fail(isThere ? 'noFile' : 'none');
  const leave = file.size > SMALL ? await placeFor(file, { client, clientAddress }) : () => {};
  const name = path.slice(path.lastIndexOf('/') + 1);
  return {
    headers: { ...rawHeaders(name, file.head, file.size), 'Content-Length': String(file.size) },
    body: flowing(file, leave),
  };
}

/** Of those who wait for one and go away nothing is left behind. */
async function placeFor({ rest }: Unpacked, { client, clientAddress }: Receiver): Promise<() => void> {
  try {
    return await places.take(clientAddress, client);
  } catch (error) {
    await rest.return(undefined);
    throw error;
  }
}

function flowing({ head, rest }: Unpacked, leave: () => void): Readable {
  const body = Readable.from(inOrder(head, rest), { objectMode: false });
  // Whoever never began to read it has not ended it either.
  return body.once('close', () => {
    leave();
    void rest.return(undefined);
  });
}

async function* inOrder(head: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  if (head.length > 0) yield head;
  yield* rest;
}
