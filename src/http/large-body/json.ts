import { emptyRaw, isRaw, type Raw } from '../parameters/brackets.ts';
import { createJsonString, type JsonString, SPARE } from './json-string.ts';
import { standIns } from './long-text.ts';
import { createSkeleton } from './skeleton.ts';
import type { Spool } from './spool.ts';
import { createUtf8Check } from './utf8.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
/** No way of writing `content` in JSON is longer. */
const LONGEST_KEY = 64;

/**
 * The members of a JSON object of any size; texts named `content` go to the spool on the way, what is left is parsed
 * as always. Null: it is no JSON. A value that is no object has no members.
 */
export async function divertJson(chunks: AsyncIterable<Buffer>, spool: Spool): Promise<Raw | null> {
  const skeleton = createSkeleton();
  const taken = standIns(spool);
  const utf8 = createUtf8Check();
  let out = Buffer.alloc(0);
  /** A string under `content`, being decoded. */
  let text: JsonString | null = null;
  /** The string that is passing by: its first bytes; null: outside of strings. */
  let passing: string | null = null;
  let isEscaped = false;
  let last = '';
  let isContent = false;

  for await (const chunk of chunks) {
    if (!utf8.push(chunk)) return null;
    if (out.length < chunk.length + SPARE) out = Buffer.allocUnsafe(chunk.length + SPARE);
    let to = 0;
    let kept = 0;
    for (let at = 0; at < chunk.length; ) {
      if (text !== null) {
        const decoded = text.decode(chunk, at, out, to);
        if (decoded.state === 'invalid') return null;
        ({ at, to } = decoded);
        kept = at;
        if (decoded.state === 'open') break;
        taken.end(spool.size + to);
        text = null;
        continue;
      }
      const byte = chunk[at++]!;
      if (passing !== null) {
        if (byte === QUOTE && !isEscaped) {
          last = passing;
          passing = null;
        } else {
          isEscaped = byte === BACKSLASH && !isEscaped;
          if (passing.length <= LONGEST_KEY) passing += String.fromCharCode(byte);
        }
      } else if (byte === QUOTE) {
        if (isContent) {
          skeleton.add(chunk.subarray(kept, at - 1));
          skeleton.add(Buffer.from(JSON.stringify(taken.begin(spool.size + to))));
          text = createJsonString();
          isContent = false;
        } else passing = '';
      } else if (byte > 0x20) {
        isContent = byte === COLON && isContentKey(last);
        last = '';
      }
    }
    if (text === null) skeleton.add(chunk.subarray(kept));
    await spool.append(out.subarray(0, to));
  }
  if (text !== null || !utf8.end()) return null;
  const value = parse(skeleton.whole());
  if (value === undefined) return null;
  return isRaw(value) ? taken.restore(Object.assign(emptyRaw(), value)) : emptyRaw();
}

function isContentKey(raw: string): boolean {
  return (
    raw === 'content' ||
    (raw.includes('\\') && raw.length <= LONGEST_KEY && parse(Buffer.from(`"${raw}"`)) === 'content')
  );
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
