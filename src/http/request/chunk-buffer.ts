/** Consecutive chunks of bytes. */
export interface ChunkBuffer {
  /** Size of all chunks, in bytes. */
  readonly size: number;
  add(chunk: Buffer): void;
  /** Returns the chunks as one `Buffer` and removes them. */
  take(): Buffer;
}

export function createChunkBuffer(): ChunkBuffer {
  let chunks: Buffer[] = [];
  let size = 0;
  return {
    get size() {
      return size;
    },
    add(chunk) {
      if (chunk.length > 0) chunks.push(chunk);
      size += chunk.length;
    },
    take() {
      const bytes = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size);
      chunks = [];
      size = 0;
      return bytes;
    },
  };
}
