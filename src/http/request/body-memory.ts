import { createSharedBudget } from '#rate-limits/shared-budget.ts';
import { unavailable } from '../errors/http-error.ts';
import type { IncomingRequest } from './incoming.ts';

const MEBIBYTE = 1024 * 1024;

/** Limits of the bytes of request bodies in memory, per network and in total, so that slow clients cannot exhaust it. */
const MEMORY_LIMITS = { each: 64 * MEBIBYTE, all: 128 * MEBIBYTE };
const memory = createSharedBudget(MEMORY_LIMITS);

/** The first bytes of each body are not counted, so that small bodies always pass. */
export const UNCOUNTED_BYTES = 64 * 1024;

interface MemoryUse {
  /** Reserved bytes. */
  reserved: number;
  /** Bytes in memory. */
  received: number;
}
const memoryUses = new WeakMap<IncomingRequest, MemoryUse>();

/** In seconds. */
const RETRY_AFTER = 10;

/** Smaller chunks are copied into blocks, because each chunk has overhead. */
const MIN_OWN_CHUNK = 4096;
const MAX_BLOCK = 64 * 1024;

/** The received part of a body. */
export interface BodyBuffer {
  /** In bytes. */
  readonly size: number;
  /** Adds a chunk. Throws 503 if bodies use too much memory, in total or for the client's network. */
  push(chunk: Buffer): void;
  /** Returns the chunks, some of them joined. */
  chunks(): Buffer[];
}

export function createBodyBuffer(request: IncomingRequest): BodyBuffer {
  const chunks: Buffer[] = [];
  /** The block that small chunks are copied into. */
  let block: Buffer | undefined;
  let filled = 0;
  let size = 0;

  const keep = <Chunk extends Buffer>(chunk: Chunk): Chunk => {
    countBytes(request, size, chunk.length);
    chunks.push(chunk);
    return chunk;
  };
  const endBlock = () => {
    if (block !== undefined) chunks[chunks.length - 1] = block.subarray(0, filled);
    block = undefined;
  };
  const copy = (chunk: Buffer) => {
    if (block === undefined || filled + chunk.length > block.length) {
      endBlock();
      block = keep(Buffer.allocUnsafeSlow(Math.min(Math.max(size, MIN_OWN_CHUNK), MAX_BLOCK)));
      filled = 0;
    }
    chunk.copy(block, filled);
    filled += chunk.length;
  };
  return {
    get size() {
      return size;
    },
    push(chunk) {
      const first = size === 0;
      size += chunk.length;
      // The first chunk is nearly always the whole body.
      if (first || chunk.length >= MIN_OWN_CHUNK) {
        endBlock();
        keep(chunk);
      } else copy(chunk);
    },
    chunks() {
      endBlock();
      return chunks;
    },
  };
}

function memoryUseOf(request: IncomingRequest): MemoryUse {
  const known = memoryUses.get(request);
  if (known !== undefined) return known;
  const use = { reserved: 0, received: 0 };
  memoryUses.set(request, use);
  return use;
}

function countBytes(request: IncomingRequest, size: number, bytes: number): void {
  const use = memoryUseOf(request);
  use.received += bytes;
  if (size > UNCOUNTED_BYTES) reserveUpTo(request, use, use.received);
}

function reserveUpTo(request: IncomingRequest, use: MemoryUse, bytes: number): void {
  if (bytes <= use.reserved) return;
  if (!memory.take(request.clientAddress, bytes - use.reserved)) throw unavailable(RETRY_AFTER);
  use.reserved = bytes;
}

/** Reserves the memory of a body of this length before it is received. Throws 503 if there is not enough. */
export function reserve(request: IncomingRequest, length: number): void {
  if (length > UNCOUNTED_BYTES) reserveUpTo(request, memoryUseOf(request), length);
}

/**
 * Waits until the memory of a body can be reserved. For the few large bodies that `readBytes` admits: what they hold and request
 * together is less than the limit, so that they cannot deadlock.
 */
export async function waitToReserve(request: IncomingRequest, length: number): Promise<void> {
  const use = memoryUseOf(request);
  // Small chunks are joined in blocks, the last of which is not full.
  const missing = length + MAX_BLOCK - use.reserved;
  if (missing <= 0) return;
  await memory.wait(request.clientAddress, missing, request.client);
  use.reserved += missing;
}

/** Releases what a complete body has reserved and does not need. */
export function releaseUnused(request: IncomingRequest): void {
  const use = memoryUses.get(request);
  if (use === undefined || use.reserved <= use.received) return;
  memory.release(request.clientAddress, use.reserved - use.received);
  use.reserved = use.received;
}

/** Releases the memory of a request that is answered or whose body is not needed any more. */
export function releaseBodyMemory(request: IncomingRequest): void {
  const use = memoryUses.get(request);
  if (use === undefined) return;
  memoryUses.delete(request);
  if (use.reserved > 0) memory.release(request.clientAddress, use.reserved);
}
