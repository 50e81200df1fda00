import { Readable } from 'node:stream';
import { openBlob } from '../../../blobs/index.ts';
import type { Rooms } from '../../../http/rooms.ts';
import { readChunks, readWholeTrace } from './store.ts';

type Keeping = Pick<Rooms, 'database' | 'blobs'>;

/** The log of a job as it is by now, in pieces, at the pace of whoever reads; empty when there is none. */
export function traceOf(rooms: Keeping, jobId: number): Readable {
  return Readable.from(piecesOf(rooms, jobId), { objectMode: false });
}

/** It may be put together while it is read: what has come so far is not read again. */
async function* piecesOf(rooms: Keeping, jobId: number): AsyncGenerator<Buffer> {
  let at = 0;
  while (true) {
    const chunks = await readChunks(rooms.database.reader, jobId, at);
    for (const { start, size, sha256 } of chunks) {
      if (start !== at) throw new Error(`The log of job ${jobId} has a gap at ${at}`);
      yield* contentOf(rooms, sha256, 0);
      at += size;
    }
    if (chunks.length > 0) continue;
    const whole = await readWholeTrace(rooms.database.reader, jobId);
    if (whole !== null && whole.size > at) yield* contentOf(rooms, whole.sha256, at);
    return;
  }
}

async function* contentOf({ blobs }: Keeping, sha256: string, start: number): AsyncGenerator<Buffer> {
  const blob = await openBlob(blobs, sha256, { start, end: Number.MAX_SAFE_INTEGER });
  if (blob === null) throw new Error(`The content ${sha256} of a log is not there`);
  yield* blob.stream as AsyncIterable<Buffer>;
}
