import { isUtf8 } from 'node:buffer';
import { givingWay } from '#runtime/concurrency-limiter.ts';
import { badRequestText } from '../errors/http-error.ts';
import { assign, emptyRaw, type Raw } from '../parameters/brackets.ts';
import { MAX_ELEMENTS, tooManyParameters } from './body-limits.ts';

const [AMPERSAND, EQUALS, PERCENT, PLUS, SPACE] = [0x26, 0x3d, 0x25, 0x2b, 0x20] as const;

/**
 * The parameters of an urlencoded body, in time that is linear in its length. 400 for a broken escape, NUL or what is not
 * UTF-8 (contract/conventions.md §1 stage 1), and for more than 100,000 pairs (stage 3).
 */
export async function parseFormBody(bytes: Buffer): Promise<Raw> {
  checkCount(bytes);
  const given = emptyRaw();
  const giveWay = givingWay();
  for (let from = 0; from < bytes.length; ) {
    const found = bytes.indexOf(AMPERSAND, from);
    const pair = bytes.subarray(from, found === -1 ? bytes.length : found);
    if (pair.length > 0) {
      const equals = pair.indexOf(EQUALS);
      const name = await decoded(equals === -1 ? pair : pair.subarray(0, equals), giveWay);
      assign(given, name, equals === -1 ? '' : await decoded(pair.subarray(equals + 1), giveWay));
    }
    from += pair.length + 1;
  }
  return given;
}

/** Before any of them is made. */
function checkCount(bytes: Buffer): void {
  let pairs = 0;
  for (let at = -1; pairs === 0 || at !== -1; at = bytes.indexOf(AMPERSAND, at + 1)) {
    if (++pairs > MAX_ELEMENTS) throw tooManyParameters();
  }
}

/** How much is decoded before others may have their turn. */
const STEP = 131_072;

async function decoded(bytes: Buffer, giveWay: () => Promise<void> | undefined): Promise<string> {
  const text = Buffer.allocUnsafe(bytes.length);
  let size = 0;
  for (let at = 0; at < bytes.length; ) {
    for (const end = Math.min(bytes.length, at + STEP); at < end; at++) {
      const byte = bytes[at]!;
      if (byte !== PERCENT) text[size++] = byte === PLUS ? SPACE : byte;
      else {
        text[size++] = escaped(bytes, at + 1);
        at += 2;
      }
    }
    await giveWay();
  }
  const whole = text.subarray(0, size);
  if (whole.includes(0) || !isUtf8(whole)) throw badRequestText();
  return whole.toString('utf8');
}

function escaped(bytes: Buffer, at: number): number {
  const [high, low] = [digit(bytes[at]), digit(bytes[at + 1])];
  if (high === -1 || low === -1) throw badRequestText();
  return high * 16 + low;
}

function digit(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
