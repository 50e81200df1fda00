import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Reader } from '../database.ts';
import { engineOf } from '../dialect.ts';
import { containingUnindexed, hasInside } from './substring-search.ts';
import { isLongText, phrase, searchName } from './trigrams.ts';

/** Words of texts: rows that have all of them in one of their columns. */

/**
 * All of `words` (`searchWords`, folded) stand inside one and the same of `searched`, some of `columns`. Rows that have
 * the parts of words of three characters and more are found by the index, where the migration said `makeWordsSearchable` of the
 * same columns; whether they are together is looked at in each.
 */
export function containingWords(
  db: Reader,
  table: string,
  columns: readonly string[],
  words: readonly string[],
  searched = columns,
): RawBuilder<SqlBool> {
  const parts = new Set(words.flatMap(trigramsOf));
  if (parts.size === 0) return containingWordsUnindexed(db, table, searched, words);
  if (engineOf(db) === 'postgres') {
    return inOneOf(searched, words, (column, word) => containingUnindexed(table, [column], word));
  }
  const inEach = containingWordsUnindexed(db, table, searched, words);
  return sql<SqlBool>`(${sql.ref(`${table}.id`)} in (${withParts(table, columns, parts, searched)}) and ${inEach})`;
}

/**
 * As `containingWords`, where all rows of a place are looked for in no order; null: whoever asks looks at each, unless they
 * turn out to be few.
 */
export function containingWordsAtOnce(
  db: Reader,
  table: string,
  columns: readonly string[],
  words: readonly string[],
  searched = columns,
): RawBuilder<SqlBool> | null {
  // PostgreSQL knows how common a word is, and whether its index or a look at each row is less work.
  return engineOf(db) === 'sqlite' ? null : containingWords(db, table, columns, words, searched);
}

/**
 * The query for ids among which those are of all rows that `containingWords` means, which are not read for it; null where
 * the index does not tell.
 */
export function idsWithParts(
  db: Reader,
  table: string,
  columns: readonly string[],
  words: readonly string[],
  searched = columns,
): RawBuilder<{ id: number }> | null {
  const parts = new Set(words.flatMap(trigramsOf));
  return engineOf(db) === 'postgres' || parts.size === 0 ? null : withParts(table, columns, parts, searched);
}

/** Rows with all of these parts in some of the columns, and those of which the index does not know the whole. */
function withParts(
  table: string,
  columns: readonly string[],
  parts: ReadonlySet<string>,
  searched: readonly string[],
): RawBuilder<{ id: number }> {
  // Phrases would do without looking at the rows, but look at all places of a part that a text repeats, for each part of
  // the word: eight seconds for a text of 1 MiB that is made for it.
  const index = sql.table(searchName(table, columns));
  const all = [...parts].map(phrase).join(' AND ');
  const either = `{${searched.join(' ')}} : (${all})`;
  const found = sql`select rowid as id from ${index} where ${index} match ${either}`;
  const long = sql`select id from ${sql.table(table)} where ${isLongText(columns)}`;
  return sql`${found} union all ${long}`;
}

/** As `containingWords`, by looking at each row: for lists that are short, or looked through in their order. */
export function containingWordsUnindexed(
  db: Reader,
  table: string,
  searched: readonly string[],
  words: readonly string[],
): RawBuilder<SqlBool> {
  // SQLite's LIKE follows a word from every place of a text for as long as it goes on: seconds for a text of 1 MiB that is
  // made for it. Its instr compares bytes and takes 30 ms. PostgreSQL would ask its index for what is LIKE a word, and do so
  // again for each project: 23 s in a group of 10,000.
  return inOneOf(searched, words, (column, word) => hasInside(db, sql.ref(`${table}.${column}`), word));
}

/** All of the words are in one and the same column. */
function inOneOf(
  columns: readonly string[],
  words: readonly string[],
  isIn: (column: string, word: string) => RawBuilder<SqlBool>,
): RawBuilder<SqlBool> {
  if (words.length === 0) return sql<SqlBool>`1 = 1`;
  const inOne = (column: string) =>
    sql`(${sql.join(
      words.map((word) => isIn(column, word)),
      sql` and `,
    )})`;
  return sql<SqlBool>`(${sql.join(columns.map(inOne), sql` or `)})`;
}

/** Whether the index of `makeWordsSearchable` leads to rows with these words; else all have to be looked through. */
export const hasTrigrams = (words: readonly string[]): boolean => words.some((word) => trigramsOf(word).length > 0);

/** The parts of a word by which the index finds it; none of a short one. */
function trigramsOf(word: string): string[] {
  const characters = [...word];
  return characters.slice(2).map((_, at) => characters.slice(at, at + 3).join(''));
}
