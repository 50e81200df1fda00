import { bodyTooLarge } from '#http/errors/http-error.ts';

/** The rest of a body without its contents. It is parsed in memory, so its size is limited. */
export interface BodySkeleton {
  add(bytes: Buffer): void;
  toBuffer(): Buffer;
}

const MAX_SKELETON_BYTES = 10 * 1024 * 1024;

export function createBodySkeleton(): BodySkeleton {
  let bytes = Buffer.allocUnsafe(64 * 1024);
  let size = 0;
  return {
    add(more) {
      if (size + more.length > MAX_SKELETON_BYTES) throw bodyTooLarge();
      if (size + more.length > bytes.length) {
        const larger = Buffer.allocUnsafe(Math.max(bytes.length * 2, size + more.length));
        bytes.copy(larger, 0, 0, size);
        bytes = larger;
      }
      more.copy(bytes, size);
      size += more.length;
    },
    toBuffer: () => bytes.subarray(0, size),
  };
}
