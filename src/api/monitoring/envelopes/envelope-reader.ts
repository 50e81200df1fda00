import { isUtf8 } from 'node:buffer';
import { type Failure, fail } from '#runtime/failure.ts';
import { isJsonObject, type JsonObject } from '#text/json-object.ts';

/** Reading envelopes (contract/monitoring.md §12): pure, over bytes as they come. */

/** What an SDK sends at most that is read, in bytes: one event or session, and the lines that say what follows. */
export const LARGEST_PAYLOAD = 1024 * 1024;
const LONGEST_LINE = 16 * 1024;
/** SDKs send a few, those that collect first a hundred. */
const MOST_ITEMS = 1_000;

/** What stands in an envelope that is of interest. */
export interface EnvelopeItem {
  readonly type: string;
  readonly payload: Buffer;
}

export type Unreadable = Failure<'invalidEnvelope' | 'tooLarge'>;

/** Reads an envelope piece by piece, and keeps of it the header and the items that somebody wants. */
export interface EnvelopeReader {
  /** The first line; null: it has not come yet. */
  readonly header: JsonObject | null;
  readonly items: readonly EnvelopeItem[];
  /** How many bytes of payloads it keeps. */
  readonly size: number;
  /** Reads on; says what is wrong, and must not be called after that. */
  push(bytes: Buffer): Unreadable | null;
  /** That was all. */
  end(): Unreadable | null;
}

const NEWLINE = 0x0a;

const invalid = () => fail('invalidEnvelope');
const tooLarge = () => fail('tooLarge');

/** What is read next. */
type Next =
  | { readonly what: 'header' | 'item' }
  /** The payload of an item: so many bytes, or to the end of the line. Null: nobody wants it. */
  | { readonly what: 'payload'; readonly type: string | null; left: number | null }
  /** The end of the line behind a payload of so many bytes. */
  | { readonly what: 'newline' };

/** `wanted`: the types of items whose payloads are kept. */
export function envelopeReader(wanted: ReadonlySet<string>): EnvelopeReader {
  let header: JsonObject | null = null;
  let next: Next = { what: 'header' };
  let count = 0;
  let size = 0;
  const items: EnvelopeItem[] = [];
  const held = pieces();

  function endLine(): Unreadable | null {
    const line = held.take();
    if (next.what === 'item' && line.length === 0) return null;
    const object = objectIn(line);
    if (object === null) return invalid();
    if (next.what === 'header') {
      header = object;
      next = { what: 'item' };
      return null;
    }
    const { type, length } = object;
    if (typeof type !== 'string' || !isLength(length)) return invalid();
    if (++count > MOST_ITEMS) return tooLarge();
    next = { what: 'payload', type: wanted.has(type) ? type : null, left: length ?? null };
    if (length === 0) endPayload({ what: 'newline' });
    return null;
  }

  function endPayload(then: Next): void {
    if (next.what === 'payload' && next.type !== null) items.push({ type: next.type, payload: held.take() });
    next = then;
  }

  function keep(bytes: Buffer, most: number): Unreadable | null {
    if (held.size + bytes.length > most) return tooLarge();
    held.add(bytes);
    if (next.what === 'payload') size += bytes.length;
    return null;
  }

  /** Takes the beginning of what came; how much of it, or what is wrong. */
  function step(bytes: Buffer): number | Unreadable {
    if (next.what === 'newline') {
      if (bytes[0] !== NEWLINE) return invalid();
      next = { what: 'item' };
      return 1;
    }
    const counted = next.what === 'payload' ? next.left : null;
    const found = counted === null ? bytes.indexOf(NEWLINE) : -1;
    const isWhole = counted === null ? found !== -1 : counted <= bytes.length;
    const taken = isWhole ? bytes.subarray(0, counted ?? found) : bytes;
    if (next.what === 'payload') {
      const wrong = next.type === null ? null : keep(taken, LARGEST_PAYLOAD);
      if (wrong !== null) return wrong;
      if (next.left !== null) next.left -= taken.length;
      if (isWhole) endPayload({ what: counted === null ? 'item' : 'newline' });
    } else {
      const wrong = keep(taken, LONGEST_LINE) ?? (isWhole ? endLine() : null);
      if (wrong !== null) return wrong;
    }
    return taken.length + (isWhole && counted === null ? 1 : 0);
  }

  return {
    get header() {
      return header;
    },
    items,
    get size() {
      return size;
    },
    push(bytes) {
      for (let at = 0; at < bytes.length; ) {
        if (next.what === 'item' && held.size === 0) at = afterBlanks(bytes, at);
        const taken = step(bytes.subarray(at));
        if (typeof taken !== 'number') return taken;
        at += taken;
      }
      return null;
    },
    end() {
      const wrong = next.what === 'header' || next.what === 'item' ? endLine() : null;
      if (wrong !== null) return wrong;
      if (next.what !== 'payload') return null;
      if (next.left !== null) return invalid();
      endPayload({ what: 'item' });
      return null;
    },
  };
}

/** An object's JSON; null: it is none. */
function objectIn(line: Buffer): JsonObject | null {
  if (!isUtf8(line)) return null;
  try {
    const value: unknown = JSON.parse(line.toString('utf8'));
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

function isLength(length: unknown): length is number | null | undefined {
  return length === undefined || length === null || (Number.isSafeInteger(length) && (length as number) >= 0);
}

/** Blank lines count as nothing, and there may be very many of them. */
function afterBlanks(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && isBlank(bytes[at]!)) at++;
  return at;
}

function isBlank(byte: number): boolean {
  return byte === NEWLINE || byte === 0x20 || byte === 0x09 || byte === 0x0d;
}

/** Bytes that came one after another. */
function pieces() {
  let kept: Buffer[] = [];
  let size = 0;
  return {
    get size() {
      return size;
    },
    add(piece: Buffer) {
      if (piece.length > 0) kept.push(piece);
      size += piece.length;
    },
    take(): Buffer {
      const whole = kept.length === 1 ? (kept[0] as Buffer) : Buffer.concat(kept, size);
      kept = [];
      size = 0;
      return whole;
    },
  };
}
