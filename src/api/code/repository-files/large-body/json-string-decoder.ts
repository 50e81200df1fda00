/** The inside of a JSON string, decoded as it comes: escapes become characters, the rest stays what it is, in UTF-8. */
export interface JsonString {
  /**
   * Decodes from `at` until the string or the chunk ends, into `out`, which has room for what the chunk can give.
   * `at` is then behind the closing quote, or at the chunk's end.
   */
  decode(chunk: Buffer, at: number, out: Buffer, to: number): Decoded;
}

export interface Decoded {
  readonly at: number;
  readonly to: number;
  /** `invalid`: no JSON string has such a byte or escape. */
  readonly state: 'open' | 'ended' | 'invalid';
}

/** What of `out` a chunk can need beyond its own length: a character that began in the chunk before. */
export const SPARE = 16;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const REPLACEMENT = 0xfffd;
const SIMPLE: Readonly<Record<string, number>> = {
  '"': QUOTE,
  '\\': BACKSLASH,
  '/': 0x2f,
  b: 8,
  f: 12,
  n: 10,
  r: 13,
  t: 9,
};

export function createJsonString(): JsonString {
  /** -1: no escape; 0: behind the backslash; 1 to 4: so many digits are missing. */
  let escaping = -1;
  let unit = 0;
  /** The first half of a surrogate pair that waits for its second. */
  let high = 0;

  function put(out: Buffer, to: number, code: number): number {
    if (code < 0x80) {
      out[to] = code;
      return to + 1;
    }
    return to + out.write(String.fromCodePoint(code), to, 'utf8');
  }

  /** A half without its other half has no bytes in UTF-8. */
  function settle(out: Buffer, to: number): number {
    if (high === 0) return to;
    high = 0;
    return put(out, to, REPLACEMENT);
  }

  function putUnit(out: Buffer, to: number): number {
    const isLow = unit >= 0xdc00 && unit < 0xe000;
    if (isLow && high !== 0) {
      const code = 0x10000 + ((high - 0xd800) << 10) + (unit - 0xdc00);
      high = 0;
      return put(out, to, code);
    }
    const next = settle(out, to);
    if (unit >= 0xd800 && unit < 0xdc00) {
      high = unit;
      return next;
    }
    return put(out, next, isLow ? REPLACEMENT : unit);
  }

  /** One byte of an escape; null: it is none. */
  function escaped(byte: number, out: Buffer, to: number): number | null {
    const character = String.fromCharCode(byte);
    if (escaping === 0) {
      if (character === 'u') {
        escaping = 4;
        unit = 0;
        return to;
      }
      const simple = SIMPLE[character];
      escaping = -1;
      return simple === undefined ? null : put(out, settle(out, to), simple);
    }
    if (!/[0-9a-fA-F]/.test(character)) return null;
    unit = unit * 16 + Number.parseInt(character, 16);
    escaping = escaping === 1 ? -1 : escaping - 1;
    return escaping === -1 ? putUnit(out, to) : to;
  }

  return {
    decode(chunk, from, out, begin) {
      let at = from;
      let to = begin;
      while (at < chunk.length) {
        if (escaping !== -1) {
          const next = escaped(chunk[at]!, out, to);
          if (next === null) return { at, to, state: 'invalid' };
          to = next;
          at++;
          continue;
        }
        const run = endOfRun(chunk, at);
        if (run > at) {
          to = settle(out, to);
          chunk.copy(out, to, at, run);
          to += run - at;
          at = run;
          continue;
        }
        const byte = chunk[at++];
        if (byte === QUOTE) return { at, to: settle(out, to), state: 'ended' };
        if (byte !== BACKSLASH) return { at, to, state: 'invalid' };
        escaping = 0;
      }
      return { at, to, state: 'open' };
    },
  };
}

/** Up to the next quote, backslash or control character. */
function endOfRun(chunk: Buffer, from: number): number {
  let at = from;
  while (at < chunk.length) {
    const byte = chunk[at]!;
    if (byte === QUOTE || byte === BACKSLASH || byte < 0x20) break;
    at++;
  }
  return at;
}
