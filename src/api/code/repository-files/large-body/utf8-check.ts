import { isUtf8 } from 'node:buffer';

/** Says of bytes that come in chunks whether they are UTF-8; a character may begin in one chunk and end in the next. */
interface Utf8Check {
  push(chunk: Buffer): boolean;
  /** False: the last character is not whole. */
  end(): boolean;
}

export function createUtf8Check(): Utf8Check {
  let carried = Buffer.alloc(0);
  return {
    push(chunk) {
      const bytes = carried.length === 0 ? chunk : Buffer.concat([carried, chunk]);
      const whole = bytes.length - unfinished(bytes);
      carried = Buffer.from(bytes.subarray(whole));
      return isUtf8(bytes.subarray(0, whole));
    },
    end: () => carried.length === 0,
  };
}

/** How many bytes at the end are the beginning of a character whose rest is missing. */
function unfinished(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    if (byte < 0x80) return 0;
    if (byte < 0xc0) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return back < length ? back : 0;
  }
  return 0;
}
