import { bodyTooLarge } from '#http/errors/http-error.ts';
import { concatBody, readChunks } from '#http/request/body.ts';
import { createBodyBuffer, releaseBodyMemory, reserve } from '#http/request/body-memory.ts';
import type { IncomingRequest } from '#http/request/incoming.ts';

export interface BodyLimits {
  /** Bytes; larger bodies get 413. */
  readonly limit: number;
  /** Bytes; larger bodies call `onLarge`. */
  readonly large: number;
  /** Called once, before the rest is read; an error that it throws is the response. */
  readonly onLarge: () => Promise<void>;
}

/** The most bytes that are kept in memory; larger bodies are streamed. */
const MAX_IN_MEMORY = 1024 * 1024;

export type SmallOrLargeBody = { readonly buffer: Buffer } | { readonly chunks: AsyncGenerator<Buffer> };

/** Returns a small body as a buffer, and a large one as a stream of chunks at the reader's pace. */
export async function startReadingBody(request: IncomingRequest, bounds: BodyLimits): Promise<SmallOrLargeBody> {
  const declaredLength = Number(request.headers['content-length'] ?? 0);
  if (declaredLength > bounds.limit) throw bodyTooLarge();
  reserve(request, Math.min(declaredLength, MAX_IN_MEMORY));
  if (declaredLength > bounds.large) await bounds.onLarge();
  const chunks = countBytes(request, {
    ...bounds,
    large: declaredLength > bounds.large ? Number.POSITIVE_INFINITY : bounds.large,
  });
  const first = createBodyBuffer(request);
  try {
    while (first.size <= MAX_IN_MEMORY) {
      const { done, value } = await chunks.next();
      if (done) return { buffer: concatBody(first) };
      first.push(value);
    }
  } catch (error) {
    await chunks.return(undefined);
    throw error;
  }
  return { chunks: joinChunks(request, first.chunks(), chunks) };
}

async function* countBytes(request: IncomingRequest, { limit, large, onLarge }: BodyLimits): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of readChunks(request)) {
    const previousSize = size;
    size += chunk.length;
    if (size > limit) throw bodyTooLarge();
    if (previousSize <= large && size > large) await onLarge();
    yield chunk;
  }
}

async function* joinChunks(
  request: IncomingRequest,
  first: Buffer[],
  remainingChunks: AsyncGenerator<Buffer>,
): AsyncGenerator<Buffer> {
  try {
    for (let chunk = first.shift(); chunk !== undefined; chunk = first.shift()) yield chunk;
    releaseBodyMemory(request);
    yield* remainingChunks;
  } finally {
    await remainingChunks.return(undefined);
  }
}
