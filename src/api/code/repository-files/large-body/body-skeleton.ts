import { bodyTooLarge } from '#http/errors/http-error.ts';

/** The body with placeholders for its `content` texts. It is parsed in memory, so its size is limited. */
export interface BodySkeleton {
  add(bytes: Buffer): void;
  toBuffer(): Buffer;
}

const MAX_SKELETON_BYTES = 10 * 1024 * 1024;

export function createBodySkeleton(): BodySkeleton {
  let bytes = Buffer.allocUnsafe(64 * 1024);
  let size = 0;
  return {
    add(chunk) {
      if (size + chunk.length > MAX_SKELETON_BYTES) throw bodyTooLarge();
      if (size + chunk.length > bytes.length) {
        const larger = Buffer.allocUnsafe(Math.max(bytes.length * 2, size + chunk.length));
        bytes.copy(larger, 0, 0, size);
        bytes = larger;
      }
      chunk.copy(bytes, size);
      size += chunk.length;
    },
    toBuffer: () => bytes.subarray(0, size),
  };
}
