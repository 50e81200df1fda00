import { bodyTooLarge } from '#http/errors/http-error.ts';

/** What is left of a body without its contents: parsed in memory, so it has a bound of its own. */
export interface Skeleton {
  add(bytes: Buffer): void;
  whole(): Buffer;
}

const LARGEST = 10 * 1024 * 1024;

export function createSkeleton(): Skeleton {
  let bytes = Buffer.allocUnsafe(64 * 1024);
  let size = 0;
  return {
    add(more) {
      if (size + more.length > LARGEST) throw bodyTooLarge();
      if (size + more.length > bytes.length) {
        const wider = Buffer.allocUnsafe(Math.max(bytes.length * 2, size + more.length));
        bytes.copy(wider, 0, 0, size);
        bytes = wider;
      }
      more.copy(bytes, size);
      size += more.length;
    },
    whole: () => bytes.subarray(0, size),
  };
}
