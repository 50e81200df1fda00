import { Readable } from 'node:stream';
import { createSharedBudget } from '#rate-limits/shared-budget.ts';
import type { RequestClient } from '#runtime/concurrency-limiter.ts';
import { estimateHeapSize } from '#runtime/heap-size.ts';

const KIBIBYTE = 1024;
const MEBIBYTE = 1024 * KIBIBYTE;

/** Limits of the bytes of unsent responses in memory, so that clients that do not read cannot exhaust it. */
const memory = createSharedBudget({ perNetwork: 24 * MEBIBYTE, total: 48 * MEBIBYTE, reserved: 16 * MEBIBYTE });

/** Minimum size of a response whose memory is counted. */
const MIN_COUNTED_BYTES = 16 * KIBIBYTE;

/** Buffer memory of a streamed response: the buffers of its source and of its connection. */
const STREAM_BYTES = 128 * KIBIBYTE;

/** Retry-After in seconds; until then clients that do not read are disconnected. */
export const RESPONSE_RETRY_AFTER_SECONDS = 10;

/** Reserves the memory of a response until it is sent; returns false if unsent responses use too much. */
export function reserveResponseMemory(client: RequestClient, bytes: number): boolean {
  return bytes < MIN_COUNTED_BYTES || memory.reserve(client, bytes);
}

/** Releases the memory of a response that is sent or given up. */
export function releaseResponseMemory(client: RequestClient): void {
  memory.release(client);
}

/** Returns whether there is memory for a response of ordinary length. */
export function hasResponseMemory(client: RequestClient): boolean {
  return memory.isAvailable(client, MEBIBYTE);
}

export interface MeasuredResponse {
  readonly body?: Readable | Uint8Array | string | undefined;
  /** Heap size in bytes of the values from which a stream is built. */
  readonly heapSize?: number;
}

/** Returns the memory in bytes of a response that is built from values of this size while it is sent. */
export function measureStream(heapSize: number): number {
  return heapSize + STREAM_BYTES;
}

/** Returns the memory in bytes that a response uses until it is sent; 0 for a small one. */
export function measureResponse({ body, heapSize = 0 }: MeasuredResponse): number {
  if (body instanceof Readable) return measureStream(heapSize);
  return body === undefined || body.length < MIN_COUNTED_BYTES ? 0 : estimateHeapSize(body);
}
