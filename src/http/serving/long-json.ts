import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { givingWay } from '../../gate.ts';

/** What of an answer is made at once, in characters: nearly all answers are much shorter. */
const MOST_AT_ONCE = 4 * 2 ** 20;

/** What is no list, but holds one of more rows than this, is looked at row by row too. */
const FEW_ROWS = 100;

/** The JSON of something that is too long to be one text. */
export interface LongJson {
  /** What the whole is, without keeping it: it is made once for this, and once more when it is sent. */
  measure(): Promise<{ readonly hash: string; readonly bytes: number }>;
  /** Made row by row while it is sent, at the pace of its client. */
  stream(): Readable;
}

/**
 * The JSON of an answer, as one text. A list whose rows hold very long texts, or what holds such a list, is made row by row:
 * a hundred descriptions of a mebibyte are never one text, and hold nobody up.
 */
export function jsonOf(value: unknown): string | LongJson {
  if (!Array.isArray(value) && !holdsManyRows(value)) return jsonOfRow(value);
  const { pieces, end } = Array.isArray(value) ? piecesOfList(value) : piecesOfObject(value as object);
  const texts: string[] = [];
  let length = 0;
  for (const piece of pieces) {
    const text = textOf(piece);
    length += text.length;
    const whole = { texts, pieces, end };
    if (length > MOST_AT_ONCE) return { measure: () => measured(whole), stream: () => flowing(whole) };
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

function holdsManyRows(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some((inner) => Array.isArray(inner) && inner.length > FEW_ROWS);
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

async function measured(whole: Whole) {
  const hash = createHash('sha1');
  let bytes = 0;
  for await (const part of partsOf(whole)) {
    hash.update(part);
    bytes += Buffer.byteLength(part);
  }
  return { hash: hash.digest('hex'), bytes };
}

async function* partsOf({ texts, pieces, end }: Whole): AsyncGenerator<string> {
  const giveWay = givingWay();
  for (const text of texts) {
    yield text;
    await giveWay();
  }
  for (let at = texts.length; at < pieces.length; at++) {
    yield textOf(pieces[at]!);
    await giveWay();
  }
  yield end;
}

const textOf = ({ before, row }: Piece) => before + jsonOfRow(row);

/** As in an array: what JSON has no word for is null there. */
const jsonOfRow = (row: unknown) => JSON.stringify(row ?? null);
