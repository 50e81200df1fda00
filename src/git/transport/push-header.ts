import { Readable } from 'node:stream';

/** The start of a push: the commands, each a packet, before the pack. */
interface PushHeader {
  /** Whether the push changes more than `MANY_REFS` refs. */
  readonly hasManyRefs: boolean;
  /** Whether the result is sent in bands, so that other packets may precede it. */
  readonly hasSideBand: boolean;
}

/** Number of refs above which one sync of all costs less than one for each ref. */
const MANY_REFS = 10;

/** Maximum bytes that are read into memory. The number of commands has no limit, so longer ones are left to git. */
const MAX_HEADER_BYTES = 64 * 1024;

const UNKNOWN_HEADER: PushHeader = { hasManyRefs: false, hasSideBand: false };

/**
 * Reads the start of a push. Returns it with a stream of the whole body, which fails if the client disconnects. A body in
 * another format, and one whose first commands are longer than `MAX_HEADER_BYTES`, is left to git.
 */
export async function readPushHeader(
  input: Readable,
): Promise<{ readonly header: PushHeader; readonly body: Readable }> {
  const chunks = input[Symbol.asyncIterator]() as AsyncIterableIterator<Buffer>;
  let start: Buffer = Buffer.alloc(0);
  let header: PushHeader | null = null;
  let failure: unknown = null;
  try {
    while (header === null) {
      const { value, done } = await chunks.next();
      if (done) break;
      start = Buffer.concat([start, value]);
      header = parseHeader(start) ?? (start.length < MAX_HEADER_BYTES ? null : UNKNOWN_HEADER);
    }
  } catch (error) {
    failure = error;
  }
  async function* readBody(): AsyncGenerator<Buffer> {
    yield start;
    if (failure !== null) throw failure;
    yield* chunks;
  }
  return { header: header ?? UNKNOWN_HEADER, body: Readable.from(readBody(), { objectMode: false }) };
}

/** Returns the header, or null if more bytes are needed. */
function parseHeader(bytes: Buffer): PushHeader | null {
  let refCount = 0;
  let hasSideBand = false;
  for (let offset = 0; offset + 4 <= bytes.length; ) {
    const length = Number.parseInt(bytes.toString('latin1', offset, offset + 4), 16);
    // A flush packet ends the commands.
    if (length === 0) return { hasManyRefs: false, hasSideBand };
    // Also true for NaN, which is no packet.
    if (!(length >= 4)) return UNKNOWN_HEADER;
    if (offset + length > bytes.length) return null;
    const packet = bytes.toString('latin1', offset + 4, offset + length);
    if (/^[0-9a-f]{40} [0-9a-f]{40} /.test(packet)) {
      if (refCount === 0) {
        const capabilities = packet.slice(packet.indexOf('\0') + 1).trim();
        hasSideBand = packet.includes('\0') && capabilities.split(' ').includes('side-band-64k');
      }
      refCount++;
    }
    if (refCount > MANY_REFS) return { hasManyRefs: true, hasSideBand };
    offset += length;
  }
  return null;
}
