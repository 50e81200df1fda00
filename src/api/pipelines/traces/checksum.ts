import { crc32 } from 'node:zlib';
import type { AuthenticatedJob } from '#authorization/job-authentication.ts';

interface ChecksumCounter {
  counted(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer>;
  /** Of the whole log, when all pieces have passed; null: what was before them is not known. */
  readonly checksum: number | null;
}

/** The CRC-32 of a log as its runner has sent it, before anything of it is masked: carried on over what comes. */
export function createChecksumCounter({
  trace_size,
  trace_checksum,
}: Pick<AuthenticatedJob, 'trace_size' | 'trace_checksum'>): ChecksumCounter {
  let checksum = trace_size === 0 ? 0 : trace_checksum;
  return {
    async *counted(pieces) {
      for await (const piece of pieces) {
        if (checksum !== null) checksum = crc32(piece, checksum);
        yield piece;
      }
    },
    get checksum() {
      return checksum;
    },
  };
}
