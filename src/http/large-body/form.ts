import { isClean } from '../incoming.ts';
import { parseForm, type Raw } from '../parameters/brackets.ts';
import { isContentName, standIns } from './long-text.ts';
import { createSkeleton } from './skeleton.ts';
import type { Spool } from './spool.ts';
import { createUtf8Check } from './utf8.ts';

const AMPERSAND = 0x26;
const EQUALS = 0x3d;
const PERCENT = 0x25;
const PLUS = 0x2b;
const SPACE = 0x20;
const LONGEST_NAME = 256;

/**
 * The parameters of a form of any size; values named `content` go to the spool on the way. Null: an escape is broken,
 * or something is not UTF-8 or has a NUL (contract/conventions.md §1 stage 1).
 */
export async function divertForm(chunks: AsyncIterable<Buffer>, spool: Spool): Promise<Raw | null> {
  const skeleton = createSkeleton();
  const taken = standIns(spool);
  const utf8 = createUtf8Check();
  let out = Buffer.alloc(0);
  /** The name that is passing by; null: its value is. */
  let name: string | null = '';
  let inContent = false;
  let escape = '';

  for await (const chunk of chunks) {
    if (out.length < chunk.length) out = Buffer.allocUnsafe(chunk.length);
    let to = 0;
    let kept = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]!;
      if (byte === AMPERSAND) {
        if (inContent) {
          if (escape !== '') return null;
          taken.end(spool.size + to);
          kept = at;
          inContent = false;
        }
        name = '';
      } else if (inContent) {
        if (escape !== '') {
          escape += String.fromCharCode(byte);
          if (escape.length < 3) continue;
          if (!/^%[0-9a-fA-F]{2}$/.test(escape)) return null;
          out[to++] = Number.parseInt(escape.slice(1), 16);
          escape = '';
        } else if (byte === PERCENT) escape = '%';
        else out[to++] = byte === PLUS ? SPACE : byte;
      } else if (name !== null && byte === EQUALS) {
        if (isContentName(decoded(name))) {
          skeleton.add(chunk.subarray(kept, at + 1));
          skeleton.add(Buffer.from(taken.begin(spool.size + to)));
          inContent = true;
        }
        name = null;
      } else if (name !== null && name.length <= LONGEST_NAME) name += String.fromCharCode(byte);
    }
    if (!inContent) skeleton.add(chunk.subarray(kept));
    const bytes = out.subarray(0, to);
    if (!utf8.push(bytes) || bytes.includes(0)) return null;
    await spool.append(bytes);
  }
  if (escape !== '') return null;
  if (inContent) taken.end(spool.size);
  const text = skeleton.whole().toString('latin1');
  if (!utf8.end() || !isClean(text)) return null;
  return taken.restore(parseForm(Buffer.from(text, 'latin1').toString('utf8')));
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
