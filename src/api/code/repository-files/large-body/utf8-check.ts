import { isUtf8 } from 'node:buffer';

/** Incremental check for valid UTF-8; a character may be split between two chunks. */
interface Utf8Check {
  /** Returns false if the chunk contains invalid UTF-8. */
  push(chunk: Buffer): boolean;
  /** Returns false if the last character is incomplete. */
  end(): boolean;
}

export function createUtf8Check(): Utf8Check {
  let incompleteBytes = Buffer.alloc(0);
  return {
    push(chunk) {
      const bytes = incompleteBytes.length === 0 ? chunk : Buffer.concat([incompleteBytes, chunk]);
      const completeLength = bytes.length - countIncompleteBytes(bytes);
      incompleteBytes = Buffer.from(bytes.subarray(completeLength));
      return isUtf8(bytes.subarray(0, completeLength));
    },
    end: () => incompleteBytes.length === 0,
  };
}

/** Returns the number of bytes of an incomplete character at the end. */
function countIncompleteBytes(bytes: Buffer): number {
  for (let distance = 1; distance <= Math.min(3, bytes.length); distance++) {
    const byte = bytes[bytes.length - distance]!;
    // Below 0x80 a character of one byte, below 0xc0 a continuation byte, else the first byte of a character.
    if (byte < 0x80) return 0;
    if (byte < 0xc0) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return distance < length ? distance : 0;
  }
  return 0;
}
