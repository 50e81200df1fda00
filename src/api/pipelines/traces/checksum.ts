import { crc32 } from 'node:zlib';
import type { AuthenticatedJob } from '#authorization/job-authentication.ts';

interface ChecksumCounter {
  /** Yields the chunks unchanged and adds them to the checksum. */
  countChunks(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer>;
  /** The checksum of the whole log after all chunks; null if the checksum of the earlier part is unknown. */
  readonly checksum: number | null;
}

/** Returns a counter for the CRC-32 of a log. The checksum covers the bytes that the runner sent, before masking. */
export function createChecksumCounter({
  trace_size,
  trace_checksum,
}: Pick<AuthenticatedJob, 'trace_size' | 'trace_checksum'>): ChecksumCounter {
  let checksum = trace_size === 0 ? 0 : trace_checksum;
  return {
    async *countChunks(chunks) {
      for await (const chunk of chunks) {
        if (checksum !== null) checksum = crc32(chunk, checksum);
        yield chunk;
      }
    },
    get checksum() {
      return checksum;
    },
  };
}
