import { bodyTooLarge } from '#http/errors/http-error.ts';
import { concatBody, readChunks } from '#http/request/body.ts';
import { createBodyBuffer, releaseBodyMemory, reserveBodyMemory } from '#http/request/body-memory.ts';
import type { IncomingRequest } from '#http/request/incoming.ts';

export interface BodyLimits {
  /** Maximum size in bytes; larger bodies get 413. */
  readonly maxBytes: number;
  /** Size in bytes above which `onLarge` is called. */
  readonly largeThresholdBytes: number;
  /** Called once, before the rest is read; an error that it throws is the response. */
  readonly onLarge: () => Promise<void>;
}

/** Maximum size of a body in memory; larger bodies are streamed. */
const MAX_IN_MEMORY_BYTES = 1024 * 1024;

export type SmallOrLargeBody = { readonly buffer: Buffer } | { readonly chunks: AsyncGenerator<Buffer> };

/** Returns a small body as a buffer, and a large one as a stream of chunks at the reader's pace. */
export async function startReadingBody(request: IncomingRequest, limits: BodyLimits): Promise<SmallOrLargeBody> {
  const declaredLength = Number(request.headers['content-length'] ?? 0);
  if (declaredLength > limits.maxBytes) throw bodyTooLarge();
  reserveBodyMemory(request, Math.min(declaredLength, MAX_IN_MEMORY_BYTES));
  if (declaredLength > limits.largeThresholdBytes) await limits.onLarge();
  const chunks = countBytes(request, {
    ...limits,
    // Infinity: `onLarge` has been called already.
    largeThresholdBytes:
      declaredLength > limits.largeThresholdBytes ? Number.POSITIVE_INFINITY : limits.largeThresholdBytes,
  });
  const firstChunks = createBodyBuffer(request);
  try {
    while (firstChunks.size <= MAX_IN_MEMORY_BYTES) {
      const { done, value } = await chunks.next();
      if (done) return { buffer: concatBody(firstChunks) };
      firstChunks.push(value);
    }
  } catch (error) {
    await chunks.return(undefined);
    throw error;
  }
  return { chunks: joinChunks(request, firstChunks.chunks(), chunks) };
}

/** Yields the chunks of the body. Throws 413 above the limit and calls `onLarge` at the threshold. */
async function* countBytes(
  request: IncomingRequest,
  { maxBytes, largeThresholdBytes, onLarge }: BodyLimits,
): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of readChunks(request)) {
    const previousSize = size;
    size += chunk.length;
    if (size > maxBytes) throw bodyTooLarge();
    if (previousSize <= largeThresholdBytes && size > largeThresholdBytes) await onLarge();
    yield chunk;
  }
}

/** Yields the buffered chunks, releases their memory reservation, and yields the rest. */
async function* joinChunks(
  request: IncomingRequest,
  firstChunks: Buffer[],
  remainingChunks: AsyncGenerator<Buffer>,
): AsyncGenerator<Buffer> {
  try {
    for (let chunk = firstChunks.shift(); chunk !== undefined; chunk = firstChunks.shift()) yield chunk;
    releaseBodyMemory(request);
    yield* remainingChunks;
  } finally {
    await remainingChunks.return(undefined);
  }
}
