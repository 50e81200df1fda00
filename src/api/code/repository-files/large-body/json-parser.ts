import { HttpError } from '#http/errors/http-error.ts';
import { createEmptyParameters, isParameterObject, type RawParameters } from '#http/parameters/brackets.ts';
import { parseJson } from '#http/request/json-body.ts';
import { createJsonStringDecoder, type JsonStringDecoder, SPARE_BYTES } from './json-string-decoder.ts';
import {
  type BodySkeleton,
  createBodySkeleton,
  createPlaceholders,
  createUtf8Check,
  type Placeholders,
  type SpoolFile,
} from './spooled-text.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
/** Maximum length of a tracked key in characters. `content` is shorter even if all its characters are escaped. */
const MAX_KEY_LENGTH = 64;

// No library is used. Most JSON parsers that read streams build whole strings, so that a content of 300 MB would be in memory.
// stream-json splits strings, but yields tokens without positions: this file would have to rebuild the rest of the object, with rules
// for duplicate names and `__proto__`, which JSON.parse has. And because each escape is a token of its own in stream-json, a text full
// of escapes takes four times as long.

/**
 * Parses a JSON object of any size. Texts named `content` are spooled; the rest is parsed by JSON.parse within the usual limits.
 * Returns null if the JSON is invalid or too large, and no parameters if its value is not an object.
 */
export async function parseLargeJson(chunks: AsyncIterable<Buffer>, spool: SpoolFile): Promise<RawParameters | null> {
  const skeleton = createBodySkeleton();
  const placeholders = createPlaceholders(spool);
  const utf8 = createUtf8Check();
  const scan = createScanner(skeleton, placeholders);
  for await (const chunk of chunks) {
    const decodedBytes = utf8.push(chunk) ? scan(chunk, spool.size) : null;
    if (decodedBytes === null) return null;
    await spool.append(decodedBytes);
  }
  if (!utf8.end()) return null;
  const value = await parseJson(skeleton.toBuffer()).catch((error) => {
    if (error instanceof HttpError) return undefined;
    throw error;
  });
  if (value === undefined) return null;
  return isParameterObject(value)
    ? placeholders.restore(Object.assign(createEmptyParameters(), value))
    : createEmptyParameters();
}

/**
 * Returns a function that decodes the content texts of a chunk. The caller appends the result to the spool at
 * `spoolOffset` before the next chunk; null means invalid JSON. The scanner recognizes only strings and whether they follow
 * `"content":`. The JSON parser detects all other errors, such as an unterminated string.
 */
function createScanner(
  skeleton: BodySkeleton,
  placeholders: Placeholders,
): (chunk: Buffer, spoolOffset: number) => Buffer | null {
  const keys = createKeyTracker();
  let output = Buffer.alloc(0);
  /** The content that is being decoded. */
  let text: JsonStringDecoder | null = null;
  return (chunk, spoolOffset) => {
    if (output.length < chunk.length + SPARE_BYTES) output = Buffer.allocUnsafe(chunk.length + SPARE_BYTES);
    let outputEnd = 0;
    let skeletonStart = 0;
    for (let chunkOffset = 0; chunkOffset < chunk.length; ) {
      if (text === null) {
        if (!keys.isContentNext(chunk[chunkOffset++]!)) continue;
        skeleton.add(chunk.subarray(skeletonStart, chunkOffset));
        skeleton.add(Buffer.from(placeholders.begin(spoolOffset + outputEnd)));
        text = createJsonStringDecoder();
      }
      const decodeResult: ReturnType<JsonStringDecoder['decode']> = text.decode(chunk, chunkOffset, output, outputEnd);
      ({ chunkOffset, outputEnd } = decodeResult);
      if (decodeResult.state === 'invalid') return null;
      if (decodeResult.state === 'open') return output.subarray(0, outputEnd);
      placeholders.end(spoolOffset + outputEnd);
      text = null;
      // The closing quote stays in the skeleton, like the opening one.
      skeletonStart = chunkOffset - 1;
    }
    if (text === null) skeleton.add(chunk.subarray(skeletonStart));
    return output.subarray(0, outputEnd);
  };
}

/** Finds the strings that are contents, by the key before them. */
interface KeyTracker {
  /**
   * Returns whether this byte is the quote that opens the string after `"content":`. Bytes of that string are not passed
   * in.
   */
  isContentNext(byte: number): boolean;
}

function createKeyTracker(): KeyTracker {
  /** The start of the current string; null outside of strings. */
  let currentString: string | null = null;
  let isEscaped = false;
  let lastString = '';
  let isContent = false;

  function readInsideString(byte: number, prefix: string): void {
    if (byte === QUOTE && !isEscaped) {
      lastString = prefix;
      currentString = null;
      return;
    }
    isEscaped = byte === BACKSLASH && !isEscaped;
    if (prefix.length <= MAX_KEY_LENGTH) currentString = prefix + String.fromCharCode(byte);
  }

  return {
    isContentNext(byte) {
      if (currentString !== null) {
        readInsideString(byte, currentString);
        return false;
      }
      if (byte === QUOTE) {
        if (!isContent) currentString = '';
        const wasContent = isContent;
        isContent = false;
        return wasContent;
      }
      if (byte > 0x20) {
        isContent = byte === COLON && isContentKey(lastString);
        lastString = '';
      }
      return false;
    },
  };
}

/** Returns whether a key is `content`. It may contain escapes, as in `c\u006fntent`. */
function isContentKey(rawKey: string): boolean {
  if (rawKey === 'content') return true;
  return (
    rawKey.includes('\\') &&
    rawKey.length <= MAX_KEY_LENGTH &&
    parseOrUndefined(Buffer.from(`"${rawKey}"`)) === 'content'
  );
}

function parseOrUndefined(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
