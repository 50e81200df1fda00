import { HttpError } from '#http/errors/http-error.ts';
import { createEmptyParameters, isParameterObject, type RawParameters } from '#http/parameters/brackets.ts';
import { parseJson } from '#http/request/json-body.ts';
import { type BodySkeleton, createBodySkeleton } from './body-skeleton.ts';
import { createJsonStringDecoder, type JsonStringDecoder, SPARE_BYTES } from './json-string-decoder.ts';
import type { SpoolFile } from './spool-file.ts';
import { createPlaceholders, type Placeholders } from './spooled-text.ts';
import { createUtf8Check } from './utf8-check.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
/** Maximum length of a tracked key in characters. `content` is shorter even if all its characters are escaped. */
const MAX_KEY_LENGTH = 64;

// No library is used. Of the maintained ones only stream-json splits strings; the others would hold 300 MB in memory.
// stream-json yields tokens without positions, so the rest of the object would be rebuilt here, with rules for duplicate
// names and `__proto__`. This parser leaves those to JSON.parse. In stream-json each escape is a token, so a text full of
// escapes takes four times as long.

/**
 * Parses a JSON object of any size. Texts named `content` are spooled; the rest is parsed normally within the usual
 * limits. Returns null if the JSON is invalid or too large. A value that is not an object has no members.
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
 * Returns a function that decodes the content texts of a chunk. The caller appends the result to the spool at the offset
 * `base` before the next chunk; null means invalid JSON. The scanner recognizes only strings and whether they follow
 * `"content":`. The JSON parser detects all other errors, such as an unterminated string.
 */
function createScanner(
  skeleton: BodySkeleton,
  placeholders: Placeholders,
): (chunk: Buffer, base: number) => Buffer | null {
  const keys = createKeyTracker();
  let buffer = Buffer.alloc(0);
  /** The content that is being decoded. */
  let text: JsonStringDecoder | null = null;
  return (chunk, base) => {
    if (buffer.length < chunk.length + SPARE_BYTES) buffer = Buffer.allocUnsafe(chunk.length + SPARE_BYTES);
    let to = 0;
    let skeletonStart = 0;
    for (let at = 0; at < chunk.length; ) {
      if (text === null) {
        if (!keys.isContentNext(chunk[at++]!)) continue;
        skeleton.add(chunk.subarray(skeletonStart, at));
        skeleton.add(Buffer.from(placeholders.begin(base + to)));
        text = createJsonStringDecoder();
      }
      const decodeResult: ReturnType<JsonStringDecoder['decode']> = text.decode(chunk, at, buffer, to);
      ({ at, to } = decodeResult);
      if (decodeResult.state === 'invalid') return null;
      if (decodeResult.state === 'open') return buffer.subarray(0, to);
      placeholders.end(base + to);
      text = null;
      // The closing quote stays in the skeleton, like the opening one.
      skeletonStart = at - 1;
    }
    if (text === null) skeleton.add(chunk.subarray(skeletonStart));
    return buffer.subarray(0, to);
  };
}

/** Tracks object keys. */
interface KeyTracker {
  /**
   * Returns whether this byte is the quote that opens the string after `"content":`. Bytes of that string are not passed
   * in.
   */
  isContentNext(byte: number): boolean;
}

function createKeyTracker(): KeyTracker {
  /** The start of the current string; null outside of strings. */
  let current: string | null = null;
  let isEscaped = false;
  let lastString = '';
  let isContent = false;

  function readInsideString(byte: number, prefix: string): void {
    if (byte === QUOTE && !isEscaped) {
      lastString = prefix;
      current = null;
      return;
    }
    isEscaped = byte === BACKSLASH && !isEscaped;
    if (prefix.length <= MAX_KEY_LENGTH) current = prefix + String.fromCharCode(byte);
  }

  return {
    isContentNext(byte) {
      if (current !== null) {
        readInsideString(byte, current);
        return false;
      }
      if (byte === QUOTE) {
        if (!isContent) current = '';
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

function isContentKey(raw: string): boolean {
  if (raw === 'content') return true;
  return raw.includes('\\') && raw.length <= MAX_KEY_LENGTH && parse(Buffer.from(`"${raw}"`)) === 'content';
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
