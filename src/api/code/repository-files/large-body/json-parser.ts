import { HttpError } from '#http/errors/http-error.ts';
import { emptyRaw, isRaw, type Raw } from '#http/parameters/brackets.ts';
import { parseJson } from '#http/request/json-body.ts';
import { createSkeleton, type Skeleton } from './body-skeleton.ts';
import { createJsonString, type JsonString, SPARE } from './json-string-decoder.ts';
import type { Spool } from './spool-file.ts';
import { type StandIns, standIns } from './spooled-text.ts';
import { createUtf8Check } from './utf8-check.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
/** No way of writing `content` in JSON is longer. */
const LONGEST_KEY = 64;

// Why no library: of those that are kept only stream-json gives a string in pieces, the others would hold 300 MB of it.
// It gives tokens, not where they stand, so that all that is no content would be put together here, by rules of our own
// for names that come twice and for `__proto__`, where this leaves it to JSON.parse. And each escape is a token: a text
// that is full of them takes four times as long.

/**
 * The members of a JSON object of any size; texts named `content` go to the spool on the way, what is left is parsed
 * as always, within the bounds of every JSON body. Null: it is no JSON, or too much. A value that is no object has no members.
 */
export async function divertJson(chunks: AsyncIterable<Buffer>, spool: Spool): Promise<Raw | null> {
  const skeleton = createSkeleton();
  const texts = standIns(spool);
  const utf8 = createUtf8Check();
  const scan = createScan(skeleton, texts);
  for await (const chunk of chunks) {
    const decoded = utf8.push(chunk) ? scan(chunk, spool.size) : null;
    if (decoded === null) return null;
    await spool.append(decoded);
  }
  if (!utf8.end()) return null;
  const value = await parseJson(skeleton.whole()).catch((error) => {
    if (error instanceof HttpError) return undefined;
    throw error;
  });
  if (value === undefined) return null;
  return isRaw(value) ? texts.restore(Object.assign(emptyRaw(), value)) : emptyRaw();
}

/**
 * Takes a chunk and gives what the spool gets of it, which begins there at `base` and holds until the next chunk; null:
 * it is no JSON. Only strings are understood, and which of them stand behind `"content":`; all else is the parser's
 * business, which finds a text that never ends too.
 */
function createScan(skeleton: Skeleton, texts: StandIns): (chunk: Buffer, base: number) => Buffer | null {
  const keys = createKeys();
  let out = Buffer.alloc(0);
  /** The content that is being decoded. */
  let text: JsonString | null = null;
  return (chunk, base) => {
    if (out.length < chunk.length + SPARE) out = Buffer.allocUnsafe(chunk.length + SPARE);
    let to = 0;
    let kept = 0;
    for (let at = 0; at < chunk.length; ) {
      if (text === null) {
        if (!keys.isContentNext(chunk[at++]!)) continue;
        skeleton.add(chunk.subarray(kept, at));
        skeleton.add(Buffer.from(texts.begin(base + to)));
        text = createJsonString();
      }
      const decoded: ReturnType<JsonString['decode']> = text.decode(chunk, at, out, to);
      ({ at, to } = decoded);
      if (decoded.state === 'invalid') return null;
      if (decoded.state === 'open') return out.subarray(0, to);
      texts.end(base + to);
      text = null;
      // The closing quote stays, as the opening one has.
      kept = at - 1;
    }
    if (text === null) skeleton.add(chunk.subarray(kept));
    return out.subarray(0, to);
  };
}

/** Follows the strings that pass by. */
interface Keys {
  /** Is this byte the quote that opens the string behind `"content":`? Bytes of that string are not shown. */
  isContentNext(byte: number): boolean;
}

function createKeys(): Keys {
  /** The beginning of the string that is passing by; null: outside of strings. */
  let passing: string | null = null;
  let isEscaped = false;
  let last = '';
  let isContent = false;

  function inside(byte: number, sofar: string): void {
    if (byte === QUOTE && !isEscaped) {
      last = sofar;
      passing = null;
      return;
    }
    isEscaped = byte === BACKSLASH && !isEscaped;
    if (sofar.length <= LONGEST_KEY) passing = sofar + String.fromCharCode(byte);
  }

  return {
    isContentNext(byte) {
      if (passing !== null) {
        inside(byte, passing);
        return false;
      }
      if (byte === QUOTE) {
        if (!isContent) passing = '';
        const found = isContent;
        isContent = false;
        return found;
      }
      if (byte > 0x20) {
        isContent = byte === COLON && isContentKey(last);
        last = '';
      }
      return false;
    },
  };
}

function isContentKey(raw: string): boolean {
  if (raw === 'content') return true;
  return raw.includes('\\') && raw.length <= LONGEST_KEY && parse(Buffer.from(`"${raw}"`)) === 'content';
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
