/** An incremental decoder of one JSON string: it resolves escapes and copies the rest as UTF-8. */
export interface JsonStringDecoder {
  /**
   * Decodes from `chunkOffset` to the end of the string or chunk into `output`, which must be large enough. The returned
   * `chunkOffset` is after the closing quote, or at the end of the chunk.
   */
  decode(chunk: Buffer, chunkOffset: number, output: Buffer, outputEnd: number): DecodeResult;
}

/** The positions up to which the decoder has read and written. `open`: the string continues in the next chunk. */
interface DecodeResult {
  readonly chunkOffset: number;
  readonly outputEnd: number;
  /** `invalid`: the byte or escape is not allowed in JSON. */
  readonly state: 'open' | 'ended' | 'invalid';
}

/** Number of bytes that `output` needs in addition to the length of the chunk, for a character that began in the previous chunk. */
export const SPARE_BYTES = 16;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** The character that stands for an unpaired surrogate. */
const REPLACEMENT = 0xfffd;
/** Characters by the letter that follows a backslash. */
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

/** Returns a decoder for one string. */
export function createJsonStringDecoder(): JsonStringDecoder {
  /** State of the current escape. -1: none; 0: after the backslash; 1 to 4: number of missing digits. */
  let escapeState = -1;
  /** The UTF-16 code unit of a `\u` escape. */
  let codeUnit = 0;
  /** The high surrogate that waits for its low surrogate. */
  let highSurrogate = 0;

  function writeUtf8(output: Buffer, outputEnd: number, code: number): number {
    if (code < 0x80) {
      output[outputEnd] = code;
      return outputEnd + 1;
    }
    return outputEnd + output.write(String.fromCodePoint(code), outputEnd, 'utf8');
  }

  /** Writes U+FFFD for an unpaired surrogate, which has no UTF-8 form. Returns the end position. */
  function flushHighSurrogate(output: Buffer, outputEnd: number): number {
    if (highSurrogate === 0) return outputEnd;
    highSurrogate = 0;
    return writeUtf8(output, outputEnd, REPLACEMENT);
  }

  function writeCodeUnit(output: Buffer, outputEnd: number): number {
    const isLow = codeUnit >= 0xdc00 && codeUnit < 0xe000;
    if (isLow && highSurrogate !== 0) {
      const code = 0x10000 + ((highSurrogate - 0xd800) << 10) + (codeUnit - 0xdc00);
      highSurrogate = 0;
      return writeUtf8(output, outputEnd, code);
    }
    const nextEnd = flushHighSurrogate(output, outputEnd);
    if (codeUnit >= 0xd800 && codeUnit < 0xdc00) {
      highSurrogate = codeUnit;
      return nextEnd;
    }
    return writeUtf8(output, nextEnd, isLow ? REPLACEMENT : codeUnit);
  }

  /** Decodes one byte of an escape. Returns the end position in `output`; null if the escape is invalid. */
  function decodeEscapedByte(byte: number, output: Buffer, outputEnd: number): number | null {
    const character = String.fromCharCode(byte);
    if (escapeState === 0) {
      if (character === 'u') {
        escapeState = 4;
        codeUnit = 0;
        return outputEnd;
      }
      const simpleCode = SIMPLE_ESCAPES[character];
      escapeState = -1;
      return simpleCode === undefined ? null : writeUtf8(output, flushHighSurrogate(output, outputEnd), simpleCode);
    }
    if (!/[0-9a-fA-F]/.test(character)) return null;
    codeUnit = codeUnit * 16 + Number.parseInt(character, 16);
    escapeState = escapeState === 1 ? -1 : escapeState - 1;
    return escapeState === -1 ? writeCodeUnit(output, outputEnd) : outputEnd;
  }

  return {
    decode(chunk, startOffset, output, outputStart) {
      let chunkOffset = startOffset;
      let outputEnd = outputStart;
      while (chunkOffset < chunk.length) {
        if (escapeState !== -1) {
          const nextEnd = decodeEscapedByte(chunk[chunkOffset]!, output, outputEnd);
          if (nextEnd === null) return { chunkOffset, outputEnd, state: 'invalid' };
          outputEnd = nextEnd;
          chunkOffset++;
          continue;
        }
        const runEnd = findRunEnd(chunk, chunkOffset);
        if (runEnd > chunkOffset) {
          outputEnd = flushHighSurrogate(output, outputEnd);
          chunk.copy(output, outputEnd, chunkOffset, runEnd);
          outputEnd += runEnd - chunkOffset;
          chunkOffset = runEnd;
          continue;
        }
        const byte = chunk[chunkOffset++];
        if (byte === QUOTE) return { chunkOffset, outputEnd: flushHighSurrogate(output, outputEnd), state: 'ended' };
        if (byte !== BACKSLASH) return { chunkOffset, outputEnd, state: 'invalid' };
        escapeState = 0;
      }
      return { chunkOffset, outputEnd, state: 'open' };
    },
  };
}

/** Returns the end of a run of characters that need no decoding: the next quote, backslash or control character. */
function findRunEnd(chunk: Buffer, startOffset: number): number {
  let chunkOffset = startOffset;
  while (chunkOffset < chunk.length) {
    const byte = chunk[chunkOffset]!;
    if (byte === QUOTE || byte === BACKSLASH || byte < 0x20) break;
    chunkOffset++;
  }
  return chunkOffset;
}
