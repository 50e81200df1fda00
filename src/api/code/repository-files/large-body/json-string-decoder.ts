/** An incremental decoder of one JSON string: it resolves escapes and copies the rest as UTF-8. */
export interface JsonStringDecoder {
  /**
   * Decodes from `at` to the end of the string or chunk into `buffer`, which must be large enough. The returned `at` is
   * after the closing quote, or at the end of the chunk.
   */
  decode(chunk: Buffer, at: number, buffer: Buffer, to: number): DecodeResult;
}

export interface DecodeResult {
  readonly at: number;
  readonly to: number;
  /** `invalid`: the byte or escape is not allowed in JSON. */
  readonly state: 'open' | 'ended' | 'invalid';
}

/** Bytes of `buffer` needed beyond the chunk's length, for a character that began in the previous chunk. */
export const SPARE_BYTES = 16;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const REPLACEMENT = 0xfffd;
const SIMPLE_ESCAPES: Readonly<Record<string, number>> = {
  '"': QUOTE,
  '\\': BACKSLASH,
  '/': 0x2f,
  b: 8,
  f: 12,
  n: 10,
  r: 13,
  t: 9,
};

export function createJsonStringDecoder(): JsonStringDecoder {
  /** State of the current escape. -1: none; 0: after the backslash; 1 to 4: number of missing digits. */
  let escapeState = -1;
  /** The UTF-16 code unit of a `\u` escape. */
  let unit = 0;
  /** The high surrogate that waits for its low surrogate. */
  let highSurrogate = 0;

  function writeUtf8(buffer: Buffer, to: number, code: number): number {
    if (code < 0x80) {
      buffer[to] = code;
      return to + 1;
    }
    return to + buffer.write(String.fromCodePoint(code), to, 'utf8');
  }

  /** Writes U+FFFD for an unpaired surrogate, which has no UTF-8 form. Returns the end position. */
  function flushHighSurrogate(buffer: Buffer, to: number): number {
    if (highSurrogate === 0) return to;
    highSurrogate = 0;
    return writeUtf8(buffer, to, REPLACEMENT);
  }

  function writeCodeUnit(buffer: Buffer, to: number): number {
    const isLow = unit >= 0xdc00 && unit < 0xe000;
    if (isLow && highSurrogate !== 0) {
      const code = 0x10000 + ((highSurrogate - 0xd800) << 10) + (unit - 0xdc00);
      highSurrogate = 0;
      return writeUtf8(buffer, to, code);
    }
    const next = flushHighSurrogate(buffer, to);
    if (unit >= 0xd800 && unit < 0xdc00) {
      highSurrogate = unit;
      return next;
    }
    return writeUtf8(buffer, next, isLow ? REPLACEMENT : unit);
  }

  /** Decodes one byte of an escape. Returns the end position in `buffer`; null if the escape is invalid. */
  function decodeEscapedByte(byte: number, buffer: Buffer, to: number): number | null {
    const character = String.fromCharCode(byte);
    if (escapeState === 0) {
      if (character === 'u') {
        escapeState = 4;
        unit = 0;
        return to;
      }
      const simple = SIMPLE_ESCAPES[character];
      escapeState = -1;
      return simple === undefined ? null : writeUtf8(buffer, flushHighSurrogate(buffer, to), simple);
    }
    if (!/[0-9a-fA-F]/.test(character)) return null;
    unit = unit * 16 + Number.parseInt(character, 16);
    escapeState = escapeState === 1 ? -1 : escapeState - 1;
    return escapeState === -1 ? writeCodeUnit(buffer, to) : to;
  }

  return {
    decode(chunk, from, buffer, start) {
      let at = from;
      let to = start;
      while (at < chunk.length) {
        if (escapeState !== -1) {
          const next = decodeEscapedByte(chunk[at]!, buffer, to);
          if (next === null) return { at, to, state: 'invalid' };
          to = next;
          at++;
          continue;
        }
        const runEnd = findRunEnd(chunk, at);
        if (runEnd > at) {
          to = flushHighSurrogate(buffer, to);
          chunk.copy(buffer, to, at, runEnd);
          to += runEnd - at;
          at = runEnd;
          continue;
        }
        const byte = chunk[at++];
        if (byte === QUOTE) return { at, to: flushHighSurrogate(buffer, to), state: 'ended' };
        if (byte !== BACKSLASH) return { at, to, state: 'invalid' };
        escapeState = 0;
      }
      return { at, to, state: 'open' };
    },
  };
}

/** Returns the position of the next quote, backslash or control character. */
function findRunEnd(chunk: Buffer, from: number): number {
  let at = from;
  while (at < chunk.length) {
    const byte = chunk[at]!;
    if (byte === QUOTE || byte === BACKSLASH || byte < 0x20) break;
    at++;
  }
  return at;
}
