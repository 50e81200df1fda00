import { isUtf8 } from 'node:buffer';
import { createYielder } from '#runtime/yielding.ts';
import { invalidText } from '../errors/http-error.ts';
import { assignParameter, createEmptyParameters, type RawParameters } from '../parameters/brackets.ts';
import { MAX_TOTAL_ITEMS, tooManyParameters } from './body-limits.ts';

const [AMPERSAND, EQUALS, PERCENT, PLUS, SPACE] = [0x26, 0x3d, 0x25, 0x2b, 0x20] as const;

/**
 * Parses an urlencoded body in linear time. Throws 400 for an invalid escape, NUL or invalid UTF-8 (contract/conventions.md §1
 * stage 1), and for more than 100,000 pairs (stage 3).
 */
export async function parseFormBody(bytes: Buffer): Promise<RawParameters> {
  checkPairCount(bytes);
  const params = createEmptyParameters();
  const yieldIfDue = createYielder();
  for (let start = 0; start < bytes.length; ) {
    const separator = bytes.indexOf(AMPERSAND, start);
    const pair = bytes.subarray(start, separator === -1 ? bytes.length : separator);
    if (pair.length > 0) {
      const equalsIndex = pair.indexOf(EQUALS);
      const name = await decodeText(equalsIndex === -1 ? pair : pair.subarray(0, equalsIndex), 'body', yieldIfDue);
      assignParameter(
        params,
        name,
        equalsIndex === -1 ? '' : await decodeText(pair.subarray(equalsIndex + 1), name, yieldIfDue),
      );
    }
    start += pair.length + 1;
  }
  return params;
}

/** Throws 400 if there are too many pairs, before any of them is created. */
function checkPairCount(bytes: Buffer): void {
  let pairCount = 0;
  for (let offset = -1; pairCount === 0 || offset !== -1; offset = bytes.indexOf(AMPERSAND, offset + 1)) {
    if (++pairCount > MAX_TOTAL_ITEMS) throw tooManyParameters();
  }
}

/** Number of bytes that are decoded before the event loop may run other work. */
const BATCH_BYTES = 131_072;

/** Decodes a percent-encoded text. Throws 400 if it is invalid; the message names `subject`. */
async function decodeText(
  bytes: Buffer,
  subject: string,
  yieldIfDue: () => Promise<void> | undefined,
): Promise<string> {
  const text = Buffer.allocUnsafe(bytes.length);
  let size = 0;
  for (let offset = 0; offset < bytes.length; ) {
    for (const end = Math.min(bytes.length, offset + BATCH_BYTES); offset < end; offset++) {
      const byte = bytes[offset]!;
      if (byte !== PERCENT) text[size++] = byte === PLUS ? SPACE : byte;
      else {
        const code = decodeEscape(bytes, offset + 1);
        if (code === null) throw invalidText(subject);
        text[size++] = code;
        offset += 2;
      }
    }
    await yieldIfDue();
  }
  const decoded = text.subarray(0, size);
  if (decoded.includes(0) || !isUtf8(decoded)) throw invalidText(subject);
  return decoded.toString('utf8');
}

/** Returns the byte of two hexadecimal digits, or null if there are no such digits. */
function decodeEscape(bytes: Buffer, offset: number): number | null {
  const [high, low] = [hexDigit(bytes[offset]), hexDigit(bytes[offset + 1])];
  return high === -1 || low === -1 ? null : high * 16 + low;
}

function hexDigit(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
