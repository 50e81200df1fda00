import { createHash, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { LongText } from '#database/long-texts.ts';
import { givingWay } from '#runtime/concurrency-limiter.ts';

/** What of an answer is made at once, in characters: nearly all answers are much shorter. */
const MOST_AT_ONCE = 4 * 2 ** 20;

/** What is no list, but holds one of more rows than this, or a text that is too long to be one, is looked at row by row too. */
const FEW_ROWS = 100;

/** The JSON of something that is too long to be one text. */
export interface LongJson {
  /** SHA-1 of the whole, which nobody keeps: it is made once for this, and once more when it is sent. */
  hash(): Promise<string>;
  /** Made row by row while it is sent, at the pace of its client. Texts that are read only then may be newer than the hash. */
  stream(): Readable;
}

/**
 * The JSON of an answer, as one text. A list whose rows hold very long texts, or what holds such a list, is made row by row:
 * a hundred descriptions of a mebibyte are never one text, and hold nobody up. A text that is still to be read
 * (`LongText`) is read at its place.
 */
export function jsonOf(value: unknown): string | LongJson {
  const { pieces, end } = piecesOf(value);
  const texts: string[] = [];
  let length = 0;
  for (const piece of pieces) {
    const text = textOf(piece);
    length += text.length;
    const whole = { texts, pieces, end };
    if (text instanceof InParts || length > MOST_AT_ONCE)
      return { hash: () => hashOf(whole), stream: () => flowing(whole) };
    texts.push(text);
  }
  return texts.join('') + end;
}

/** A row, and what stands before it. */
interface Piece {
  readonly before: string;
  readonly row: unknown;
}

interface Pieces {
  readonly pieces: readonly Piece[];
  readonly end: string;
}

function piecesOf(value: unknown): Pieces {
  if (Array.isArray(value)) return piecesOfList(value);
  if (holdsMuch(value)) return piecesOfObject(value as object);
  return { pieces: [{ before: '', row: value }], end: '' };
}

function holdsMuch(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  for (const key in value) {
    const inner = (value as Record<string, unknown>)[key];
    if (Array.isArray(inner) && inner.length > FEW_ROWS) return true;
    if (typeof inner === 'string' && inner.length > MOST_AT_ONCE) return true;
  }
  return false;
}

function piecesOfList(rows: readonly unknown[], open = '['): Pieces {
  return {
    pieces: rows.map((row, index) => ({ before: index === 0 ? open : ',', row })),
    end: rows.length === 0 ? `${open}]` : ']',
  };
}

function piecesOfObject(value: object): Pieces {
  const pieces: Piece[] = [];
  let before = '{';
  for (const [key, inner] of Object.entries(value)) {
    if (inner === undefined) continue;
    before += `${JSON.stringify(key)}:`;
    if (Array.isArray(inner)) {
      const list = piecesOfList(inner, `${before}[`);
      for (const piece of list.pieces) pieces.push(piece);
      before = list.end;
    } else {
      pieces.push({ before, row: inner });
      before = '';
    }
    before += ',';
  }
  return { pieces, end: `${before.slice(0, -1)}}` };
}

/** The texts of the first pieces are there already. */
interface Whole extends Pieces {
  readonly texts: readonly string[];
}

function flowing(whole: Whole): Readable {
  return Readable.from(partsOf(whole), { objectMode: false });
}

async function hashOf(whole: Whole): Promise<string> {
  const hash = createHash('sha1');
  for await (const part of partsOf(whole)) hash.update(part);
  return hash.digest('hex');
}

/** Written at once, in characters: what is less costs more to pass on than to make. */
const PART = 65_536;

async function* partsOf({ texts, pieces, end }: Whole): AsyncGenerator<string> {
  const giveWay = givingWay();
  let held = '';
  for (let at = 0; at < pieces.length; at++) {
    const text = texts[at] ?? textOf(pieces[at]!);
    if (text instanceof InParts) {
      yield held;
      held = '';
      for await (const part of text.parts()) {
        yield part;
        const way = giveWay();
        if (way !== undefined) await way;
      }
    } else held += text;
    if (held.length >= PART) {
      yield held;
      held = '';
    }
    const way = giveWay();
    if (way !== undefined) await way;
  }
  yield held + end;
}

/** As in an array: what JSON has no word for is null there. */
function textOf({ before, row }: Piece): string | InParts {
  if (typeof row === 'string' && row.length > MOST_AT_ONCE) return new Sliced(before, row);
  left = [];
  const json = before + JSON.stringify(row ?? null);
  return left.length === 0 ? json : new Gapped(json, left);
}

/** Nobody else says it. */
const MARK = randomUUID();
const PLACE = JSON.stringify(MARK);

/** The texts that the JSON which is being made leaves places for, in their order. */
let left: LongText<unknown>[] = [];

Object.assign(LongText.prototype, {
  toJSON(this: LongText<unknown>) {
    left.push(this);
    return MARK;
  },
});

/** JSON that is not made at once. */
abstract class InParts {
  /** In characters, about. */
  abstract readonly length: number;
  abstract parts(): AsyncGenerator<string>;
}

/** A very long text. */
class Sliced extends InParts {
  readonly #before: string;
  readonly #text: string;

  constructor(before: string, text: string) {
    super();
    this.#before = before;
    this.#text = text;
  }

  get length(): number {
    return this.#text.length;
  }

  async *parts(): AsyncGenerator<string> {
    yield `${this.#before}"`;
    for (let at = 0; at < this.#text.length; ) {
      const slice = this.#text.slice(at, at + PART);
      // Half a pair is said in another way than the whole: it comes with the next ones.
      const end = at + slice.length < this.#text.length && endsInsideOfPair(slice) ? -1 : slice.length;
      const part = slice.slice(0, end);
      yield JSON.stringify(part).slice(1, -1);
      at += part.length;
    }
    yield '"';
  }
}

function endsInsideOfPair(text: string): boolean {
  return (text.charCodeAt(text.length - 1) & 0xfc00) === 0xd800;
}

/** JSON with places where texts belong that are still to be read. */
class Gapped extends InParts {
  readonly #json: string;
  readonly #texts: readonly LongText<unknown>[];

  constructor(json: string, texts: readonly LongText<unknown>[]) {
    super();
    this.#json = json;
    this.#texts = texts;
  }

  get length(): number {
    return this.#json.length;
  }

  async *parts(): AsyncGenerator<string> {
    let from = 0;
    for (const text of this.#texts) {
      const at = this.#json.indexOf(PLACE, from);
      yield this.#json.slice(from, at);
      yield JSON.stringify(await text.read());
      from = at + PLACE.length;
    }
    yield this.#json.slice(from);
  }
}
