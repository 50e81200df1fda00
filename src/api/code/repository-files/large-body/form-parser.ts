import { badRequestText } from '#http/errors/http-error.ts';
import type { Raw } from '#http/parameters/brackets.ts';
import { parseFormBody } from '#http/request/form-body.ts';
import { createSkeleton, type Skeleton } from './body-skeleton.ts';
import type { Spool } from './spool-file.ts';
import { isContentName, type StandIns, standIns } from './spooled-text.ts';
import { createUtf8Check } from './utf8-check.ts';

const AMPERSAND = 0x26;
const EQUALS = 0x3d;
const PERCENT = 0x25;
const PLUS = 0x2b;
const SPACE = 0x20;
const LONGEST_NAME = 256;

/**
 * The parameters of a form of any size; values named `content` go to the spool on the way. 400: an escape is broken,
 * or something is not UTF-8 or has a NUL (contract/conventions.md §1 stage 1).
 */
export async function divertForm(chunks: AsyncIterable<Buffer>, spool: Spool): Promise<Raw> {
  const skeleton = createSkeleton();
  const texts = standIns(spool);
  const scan = createScan(skeleton, texts);
  for await (const chunk of chunks) {
    const decoded = scan.push(chunk, spool.size);
    if (decoded === null) throw badRequestText();
    await spool.append(decoded);
  }
  if (!scan.end(spool.size)) throw badRequestText();
  return texts.restore(await parseFormBody(skeleton.whole()));
}

interface Scan {
  /** What the spool gets of a chunk, which begins there at `base` and holds until the next one; null: it is broken. */
  push(chunk: Buffer, base: number): Buffer | null;
  end(base: number): boolean;
}

function createScan(skeleton: Skeleton, texts: StandIns): Scan {
  let out = Buffer.alloc(0);
  /** The name that is passing by; null: its value is. */
  let name: string | null = '';
  /** The content that is being decoded. */
  let value: FormValue | null = null;

  /** Does the value of a content begin behind this byte? */
  function isContentNext(byte: number): boolean {
    const known: string | null = name;
    if (byte === AMPERSAND) name = '';
    else if (byte === EQUALS) name = null;
    else if (known !== null && known.length <= LONGEST_NAME) name = known + String.fromCharCode(byte);
    return byte === EQUALS && known !== null && isContentName(decoded(known));
  }

  return {
    push(chunk, base) {
      if (out.length < chunk.length) out = Buffer.allocUnsafe(chunk.length);
      let to = 0;
      let kept = 0;
      for (let at = 0; at < chunk.length; ) {
        if (value === null) {
          if (!isContentNext(chunk[at++]!)) continue;
          skeleton.add(chunk.subarray(kept, at));
          skeleton.add(Buffer.from(texts.begin(base + to)));
          value = createFormValue();
        }
        const end = chunk.indexOf(AMPERSAND, at);
        const begin = to;
        to = value.decode(chunk.subarray(at, end === -1 ? chunk.length : end), out, to);
        if (to === -1 || !value.isText(out.subarray(begin, to))) return null;
        if (end === -1) return out.subarray(0, to);
        if (!value.isWhole()) return null;
        texts.end(base + to);
        value = null;
        kept = at = end;
      }
      if (value === null) skeleton.add(chunk.subarray(kept));
      return out.subarray(0, to);
    },
    end(base) {
      if (value === null) return true;
      texts.end(base);
      return value.isWhole();
    },
  };
}

/** One value, decoded as it comes. */
interface FormValue {
  /** Gives the end of what it has written to `out`; -1: an escape is broken. */
  decode(bytes: Buffer, out: Buffer, to: number): number;
  /** What was decoded, in its order: is it UTF-8 without NUL? */
  isText(bytes: Buffer): boolean;
  /** No escape and no character is cut off. */
  isWhole(): boolean;
}

function createFormValue(): FormValue {
  const utf8 = createUtf8Check();
  let escaping = '';
  return {
    decode(bytes, out, begin) {
      let to = begin;
      for (const byte of bytes) {
        if (escaping !== '') {
          escaping += String.fromCharCode(byte);
          if (escaping.length < 3) continue;
          if (!/^%[0-9a-fA-F]{2}$/.test(escaping)) return -1;
          out[to++] = Number.parseInt(escaping.slice(1), 16);
          escaping = '';
        } else if (byte === PERCENT) escaping = '%';
        else out[to++] = byte === PLUS ? SPACE : byte;
      }
      return to;
    },
    isText: (bytes) => utf8.push(bytes) && !bytes.includes(0),
    isWhole: () => escaping === '' && utf8.end(),
  };
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
