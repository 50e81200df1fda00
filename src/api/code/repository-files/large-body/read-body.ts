import { bodyTooLarge } from '#http/errors/http-error.ts';
import { watched, wholeOf } from '#http/request/body.ts';
import { holdBody, letGo, reserve } from '#http/request/body-memory.ts';
import type { Incoming } from '#http/request/incoming.ts';

export interface BodyBounds {
  /** Bytes; more is 413. */
  readonly limit: number;
  /** Bytes; whoever sends more is counted. */
  readonly large: number;
  /** Told once, before the rest is read; what it throws is the answer. */
  readonly onLarge: () => Promise<void>;
}

/** A body of at most this many bytes is kept in memory, a longer one flows. */
const SMALL = 1024 * 1024;

export type Body = { readonly whole: Buffer } | { readonly chunks: AsyncGenerator<Buffer> };

/** The body, when it is small; otherwise all of its chunks, at the pace of whoever takes them. */
export async function beginBody(request: Incoming, bounds: BodyBounds): Promise<Body> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > bounds.limit) throw bodyTooLarge();
  reserve(request, Math.min(declared, SMALL));
  if (declared > bounds.large) await bounds.onLarge();
  const chunks = counted(request, {
    ...bounds,
    large: declared > bounds.large ? Number.POSITIVE_INFINITY : bounds.large,
  });
  const first = holdBody(request);
  try {
    while (first.size <= SMALL) {
      const { done, value } = await chunks.next();
      if (done) return { whole: wholeOf(first) };
      first.push(value);
    }
  } catch (error) {
    await chunks.return(undefined);
    throw error;
  }
  return { chunks: rejoined(request, first.pieces(), chunks) };
}

async function* counted(request: Incoming, { limit, large, onLarge }: BodyBounds): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of watched(request)) {
    const before = size;
    size += chunk.length;
    if (size > limit) throw bodyTooLarge();
    if (before <= large && size > large) await onLarge();
    yield chunk;
  }
}

async function* rejoined(request: Incoming, first: Buffer[], rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  try {
    for (let chunk = first.shift(); chunk !== undefined; chunk = first.shift()) yield chunk;
    letGo(request);
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}
