import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { givingWay } from '../../gate.ts';

/** What of a list is made at once, in characters: nearly all lists are much shorter. */
const MOST_AT_ONCE = 4 * 2 ** 20;

/** The JSON of a list that is too long to be one text. */
export interface LongJson {
  /** What the whole is, without keeping it: it is made once for this, and once more when it is sent. */
  measure(): Promise<{ readonly hash: string; readonly bytes: number }>;
  /** Made row by row while it is sent, at the pace of its client. */
  stream(): Readable;
}

/**
 * The JSON of a list, as one text. A list whose rows hold very long texts is made row by row: a hundred descriptions of a
 * mebibyte are never one text, and hold nobody up.
 */
export function jsonOfRows(rows: readonly unknown[]): string | LongJson {
  const texts: string[] = [];
  let length = 0;
  for (const row of rows) {
    const text = jsonOf(row);
    length += text.length;
    if (length > MOST_AT_ONCE) return { measure: () => measured(texts, rows), stream: () => flowing(texts, rows) };
    texts.push(text);
  }
  return `[${texts.join()}]`;
}

function flowing(texts: readonly string[], rows: readonly unknown[]): Readable {
  return Readable.from(pieces(texts, rows), { objectMode: false });
}

async function measured(texts: readonly string[], rows: readonly unknown[]) {
  const hash = createHash('sha1');
  let bytes = 0;
  for await (const piece of pieces(texts, rows)) {
    hash.update(piece);
    bytes += Buffer.byteLength(piece);
  }
  return { hash: hash.digest('hex'), bytes };
}

/** The first rows are there already. */
async function* pieces(texts: readonly string[], rows: readonly unknown[]): AsyncGenerator<string> {
  yield `[${texts.join()}`;
  const giveWay = givingWay();
  for (let at = texts.length; at < rows.length; at++) {
    yield (at === 0 ? '' : ',') + jsonOf(rows[at]);
    await giveWay();
  }
  yield ']';
}

/** As in an array: what JSON has no word for is null there. */
const jsonOf = (row: unknown) => JSON.stringify(row ?? null);
