import { createSharedBudget } from '#rate-limits/shared-budget.ts';
import { unavailable } from '../errors/http-error.ts';
import type { IncomingRequest } from './incoming.ts';

const MEBIBYTE = 1024 * 1024;

/**
 * Limits of the bytes of request bodies in memory, per network and in total, so that slow clients cannot exhaust it. The
 * reserved share is for networks that hold little.
 */
const memory = createSharedBudget({
  perNetwork: 64 * MEBIBYTE,
  total: 128 * MEBIBYTE,
  extraForSmallHolders: 16 * MEBIBYTE,
});

/** Request -> received bytes of its body. */
const receivedBytes = new WeakMap<IncomingRequest, number>();

/** Retry-After of 503 responses. */
const RETRY_AFTER_SECONDS = 10;

/**
 * Minimum size of a chunk that is stored as it is. Smaller ones are copied into blocks, because each chunk has
 * overhead.
 */
const MIN_UNCOPIED_BYTES = 4096;
const MAX_BLOCK_BYTES = 64 * 1024;

/** The received part of a body. */
export interface BodyBuffer {
  /** Received bytes. */
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
  let blockLength = 0;
  let size = 0;

  /** Counts the bytes of a chunk before it adds it. */
  const addChunk = <Chunk extends Buffer>(chunk: Chunk): Chunk => {
    countBytes(request, chunk.length);
    chunks.push(chunk);
    return chunk;
  };
  /** Cuts the block to its used length; the next small chunk starts another block. */
  const endBlock = () => {
    if (block !== undefined) chunks[chunks.length - 1] = block.subarray(0, blockLength);
    block = undefined;
  };
  const copyToBlock = (chunk: Buffer) => {
    if (block === undefined || blockLength + chunk.length > block.length) {
      endBlock();
      block = addChunk(Buffer.allocUnsafeSlow(Math.min(Math.max(size, MIN_UNCOPIED_BYTES), MAX_BLOCK_BYTES)));
      blockLength = 0;
    }
    chunk.copy(block, blockLength);
    blockLength += chunk.length;
  };
  return {
    get size() {
      return size;
    },
    push(chunk) {
      const isFirst = size === 0;
      size += chunk.length;
      // The first chunk is nearly always the whole body.
      if (isFirst || chunk.length >= MIN_UNCOPIED_BYTES) {
        endBlock();
        addChunk(chunk);
      } else copyToBlock(chunk);
    },
    chunks() {
      endBlock();
      return chunks;
    },
  };
}

function countBytes(request: IncomingRequest, bytes: number): void {
  const received = (receivedBytes.get(request) ?? 0) + bytes;
  receivedBytes.set(request, received);
  reserveBodyMemory(request, received);
}

/** Reserves the memory of a body of this length before it is received. Throws 503 if there is not enough. */
export function reserveBodyMemory({ client }: IncomingRequest, length: number): void {
  if (!memory.reserve(client, length)) throw unavailable(RETRY_AFTER_SECONDS);
}

/**
 * Waits until the memory of a body can be reserved. For the few large bodies that `readBytes` admits: their reserved
 * and requested memory together is below the limit, so that they cannot deadlock.
 */
export async function waitForBodyMemory({ client }: IncomingRequest, length: number): Promise<void> {
  // Small chunks are joined in blocks, the last of which is not full.
  await memory.wait(client, length + MAX_BLOCK_BYTES);
}

/** Releases the memory that was reserved for a body and is not used after it is complete. */
export function releaseUnusedBodyMemory(request: IncomingRequest): void {
  memory.release(request.client, receivedBytes.get(request));
}

/** Releases the memory of a request that is answered or whose body is not needed any more. */
export function releaseBodyMemory(request: IncomingRequest): void {
  receivedBytes.delete(request);
  memory.release(request.client);
}
