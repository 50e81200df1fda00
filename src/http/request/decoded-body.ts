import { bodyTooLarge } from '../errors/http-error.ts';
import { MEBIBYTE, readBytes, readChunks, SMALL_BODY_LIMIT, takeLargeBodySlot } from './body.ts';
import { reserveBodyMemory } from './body-memory.ts';
import { decodeSmallBody, decodeStream, type Encoding } from './content-encoding.ts';
import { firstHeader, type IncomingRequest } from './incoming.ts';

/** Maximum memory of a Brotli decoder, in bytes. It does not exceed the decoded bytes; other decoders take little. */
const MAX_BROTLI_BYTES = 16 * MEBIBYTE;

/** Maximum sizes of a body, in bytes: as sent and after decoding. */
interface BodySizeLimits {
  readonly sent: number;
  readonly decoded: number;
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
  const source = await createSource(request, encoding, limits.sent);
  if (Buffer.isBuffer(source)) {
    yield source;
    return;
  }
  let decodedBytes = 0;
  let releaseSlot: (() => void) | undefined;
  try {
    for await (const chunk of decodeStream(source, encoding)) {
      decodedBytes += chunk.length;
      if (decodedBytes > limits.decoded) throw bodyTooLarge();
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
  if (!(declaredLength <= SMALL_BODY_LIMIT)) return limitChunks(readChunks(request), limit);
  const bytes = await readBytes(request);
  return decodeSmallBody(bytes, encoding) ?? [bytes];
}

async function* limitChunks(chunks: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > maxBytes) throw bodyTooLarge();
    yield chunk;
  }
}
