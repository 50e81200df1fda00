import { Readable } from 'node:stream';
import { givingWay } from '../../gate.ts';

/** What of a list is made at once, in characters: nearly all lists are much shorter. */
const MOST_AT_ONCE = 4 * 2 ** 20;

/**
 * The JSON of a list, as one text. A list whose rows hold very long texts is made row by row while it is sent, at the
 * pace of its client: a hundred descriptions of a mebibyte are never one text, and hold nobody up.
 */
export function jsonOfRows(rows: readonly unknown[]): string | Readable {
  const texts: string[] = [];
  let length = 0;
  for (const row of rows) {
    const text = jsonOf(row);
    length += text.length;
    if (length > MOST_AT_ONCE) return Readable.from(pieces(texts, rows), { objectMode: false });
    texts.push(text);
  }
  return `[${texts.join()}]`;
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
