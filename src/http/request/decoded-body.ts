import { bodyTooLarge } from '../errors/http-error.ts';
import { MEBIBYTE, readBytes, readChunks, SMALL_BODY_LIMIT, takeLargeBodySlot } from './body.ts';
import { reserveBodyMemory } from './body-memory.ts';
import { decodeSmallBody, decodeStream, type Encoding } from './content-encoding.ts';
import { firstHeader, type IncomingRequest } from './incoming.ts';

/** Maximum memory of a Brotli decoder, in bytes. It does not exceed the decoded bytes; other decoders take little. */
const MAX_BROTLI_BYTES = 16 * MEBIBYTE;

/** Maximum sizes of a body, in bytes: as sent and after decoding. */
interface BodySizeLimits {
  readonly maxSentBytes: number;
  readonly maxDecodedBytes: number;
}

/**
 * Yields the decoded body while it arrives, without collecting it. Throws 413 after the decoded bytes that are within the
 * limits, `DecodingError` for invalid bytes, 408 for a slow client, and `QueueFull` if too many large bodies are being received.
 */
export async function* readDecodedChunks(
  request: IncomingRequest,
  encoding: Encoding,
  limits: BodySizeLimits,
): AsyncGenerator<Buffer> {
  const source = await createSource(request, encoding, limits.maxSentBytes);
  if (Buffer.isBuffer(source)) {
    yield source;
    return;
  }
  let decodedBytes = 0;
  let releaseSlot: (() => void) | undefined;
  try {
    for await (const chunk of decodeStream(source, encoding)) {
      decodedBytes += chunk.length;
      if (decodedBytes > limits.maxDecodedBytes) throw bodyTooLarge();
      if (encoding === 'br') reserveBodyMemory(request, Math.min(decodedBytes, MAX_BROTLI_BYTES));
      if (decodedBytes > MEBIBYTE) releaseSlot ??= await takeLargeBodySlot(request);
      yield chunk;
    }
  } finally {
    releaseSlot?.();
  }
}

/** Returns the whole body, decoded, if it is small; else the chunks as sent. */
async function createSource(request: IncomingRequest, encoding: Encoding, limit: number) {
  const declaredLength = Number(firstHeader(request.headers['content-length']) ?? Number.NaN);
  // NaN, an undeclared length, counts as large.
  if (!(declaredLength <= SMALL_BODY_LIMIT)) return limitChunks(readChunks(request), limit);
  const bytes = await readBytes(request);
  return decodeSmallBody(bytes, encoding) ?? [bytes];
}

/** Chunks that are smaller than this are joined, because each chunk that a reader keeps has overhead. */
const MIN_CHUNK_BYTES = 4096;
const BLOCK_BYTES = 16 * 1024;

/** Yields the chunks, small ones joined, and throws 413 after `maxBytes`. */
async function* limitChunks(chunks: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
  let size = 0;
  let block = Buffer.alloc(0);
  let blockSize = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > maxBytes) throw bodyTooLarge();
    if (blockSize > 0 && blockSize + chunk.length > block.length) {
      yield block.subarray(0, blockSize);
      blockSize = 0;
    }
    if (chunk.length >= MIN_CHUNK_BYTES && blockSize === 0) yield chunk;
    else {
      if (blockSize === 0) block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
      chunk.copy(block, blockSize);
      blockSize += chunk.length;
    }
  }
  if (blockSize > 0) yield block.subarray(0, blockSize);
}
