import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Reader } from '../database.ts';
import { getEngineName } from '../dialect.ts';
import { countRows } from '../page.ts';
import { COMMON_THRESHOLD } from './common-substrings.ts';
import { hasIndexedSubstringInLongText, hasSubstringInLongText, isTooShortForIndex } from './substring-search.ts';
import { getTrigramIndexName, isLongText, toFtsPhrase } from './trigrams.ts';

/**
 * Builds the condition that one of the `searchedColumns` contains all `words` (from `parseSearchWords`, folded). `columns` are all
 * columns of the index that `wordIndex` has created. Words of three characters and more use the index; each match is
 * then checked.
 */
export function containsWords(
  db: Reader,
  table: string,
  columns: readonly string[],
  words: readonly string[],
  searchedColumns = columns,
): RawBuilder<SqlBool> {
  const trigrams = new Set(words.flatMap(listTrigrams));
  if (trigrams.size === 0) return containsWordsUnindexed(db, table, searchedColumns, words);
  if (getEngineName(db) === 'postgres') {
    return containsAllInOneColumn(searchedColumns, words, (column, word) => {
      const text = sql.ref<string>(`${table}.${column}`);
      return isTooShortForIndex(word)
        ? hasSubstringInLongText(db, text, word)
        : hasIndexedSubstringInLongText(text, word);
    });
  }
  const unindexedCondition = containsWordsUnindexed(db, table, searchedColumns, words);
  return sql<SqlBool>`(${sql.ref(`${table}.id`)} in (${selectIdsWithTrigrams(table, columns, trigrams, searchedColumns)}) and ${unindexedCondition})`;
}

/**
 * Builds the condition of `containsWords` for a query that reads all rows of a parent in any order. Null for SQLite, where
 * a scan of the rows is usually faster.
 */
export function containsWordsUnordered(
  db: Reader,
  table: string,
  columns: readonly string[],
  words: readonly string[],
  searchedColumns = columns,
): RawBuilder<SqlBool> | null {
  // PostgreSQL knows how common a word is, and whether its index or a scan is cheaper.
  return getEngineName(db) === 'sqlite' ? null : containsWords(db, table, columns, words, searchedColumns);
}

/**
 * Selects the ids of candidates from the index alone. They include all rows that `containsWords` matches. Null if the index
 * cannot be used.
 */
export function selectCandidateIds(
  db: Reader,
  table: string,
  columns: readonly string[],
  words: readonly string[],
  searchedColumns = columns,
): RawBuilder<{ id: number }> | null {
  const trigrams = new Set(words.flatMap(listTrigrams));
  return getEngineName(db) === 'postgres' || trigrams.size === 0
    ? null
    : selectIdsWithTrigrams(table, columns, trigrams, searchedColumns);
}

/**
 * Builds the condition that one of `columns` contains this substring of at least three characters. SQLite uses the index of
 * `trigramIndexOfFrequentlyUpdatedRows`.
 */
export function containsPart(db: Reader, table: string, columns: readonly string[], part: string): RawBuilder<SqlBool> {
  const containsPartUnindexed = containsWordsUnindexed(db, table, columns, [part]);
  if (getEngineName(db) === 'postgres') return containsPartUnindexed;
  const candidates = selectIdsInIndex(table, columns, new Set(listTrigrams(part)), columns);
  return sql<SqlBool>`(${sql.ref(`${table}.id`)} in (${candidates}) and ${containsPartUnindexed})`;
}

/** Returns whether an ordered list should scan its rows, because `containsPart` may match many. Use it only to choose a query plan. */
export async function isCommonPart(
  db: Reader,
  table: string,
  columns: readonly string[],
  part: string,
): Promise<boolean> {
  // PostgreSQL has no index for these columns.
  if (getEngineName(db) === 'postgres') return true;
  const candidates = selectIdsInIndex(table, columns, new Set(listTrigrams(part)), columns);
  return (await countRows(db, sql`(${candidates} limit ${sql.lit(COMMON_THRESHOLD + 1)})`)) > COMMON_THRESHOLD;
}

/** Selects rows with all of these trigrams, and rows whose texts exceed the index. */
function selectIdsWithTrigrams(
  table: string,
  columns: readonly string[],
  trigrams: ReadonlySet<string>,
  searchedColumns: readonly string[],
): RawBuilder<{ id: number }> {
  const indexedIds = selectIdsInIndex(table, columns, trigrams, searchedColumns);
  const longTextIds = sql`select id from ${sql.table(table)} where ${isLongText(columns)}`;
  return sql`${indexedIds} union all ${longTextIds}`;
}

/** Selects rows whose index entries have all of these trigrams. */
function selectIdsInIndex(
  table: string,
  columns: readonly string[],
  trigrams: ReadonlySet<string>,
  searchedColumns: readonly string[],
): RawBuilder<{ id: number }> {
  // Whole words as phrases would need no check of the rows, but FTS5 compares all positions of repeated trigrams: that takes eight
  // seconds for a malicious text of 1 MiB.
  const index = sql.table(getTrigramIndexName(table, columns));
  const trigramQuery = [...trigrams].map(toFtsPhrase).join(' AND ');
  const ftsQuery = `{${searchedColumns.join(' ')}} : (${trigramQuery})`;
  return sql`select rowid as id from ${index} where ${index} match ${ftsQuery}`;
}

/** Builds the condition of `containsWords` without the index: for short lists and for scans in list order. */
export function containsWordsUnindexed(
  db: Reader,
  table: string,
  searchedColumns: readonly string[],
  words: readonly string[],
): RawBuilder<SqlBool> {
  // PostgreSQL would use its index for an indexed condition, once for each project: 23 s in a group of 10,000.
  return containsAllInOneColumn(searchedColumns, words, (column, word) =>
    hasSubstringInLongText(db, sql.ref(`${table}.${column}`), word),
  );
}

/** Builds the condition that one column contains all words. */
function containsAllInOneColumn(
  columns: readonly string[],
  words: readonly string[],
  containsWord: (column: string, word: string) => RawBuilder<SqlBool>,
): RawBuilder<SqlBool> {
  if (words.length === 0) return sql<SqlBool>`1 = 1`;
  const containsAllWords = (column: string) =>
    sql`(${sql.join(
      words.map((word) => containsWord(column, word)),
      sql` and `,
    )})`;
  return sql<SqlBool>`(${sql.join(columns.map(containsAllWords), sql` or `)})`;
}

/** Returns whether the index can find rows with these words; if not, all rows must be scanned. */
export const hasTrigrams = (words: readonly string[]): boolean => words.some((word) => listTrigrams(word).length > 0);

/** Lists the trigrams of a word: none for a word of fewer than three characters. */
function listTrigrams(word: string): string[] {
  const characters = [...word];
  return characters.slice(2).map((_, index) => characters.slice(index, index + 3).join(''));
}

/**
 * Splits a search text into words, all of which must occur (contract/planning.md §3.6 "search"). Words are separated by blanks;
 * a text in double quotes is one word. For `containsWords`; fold the case first.
 */
export function parseSearchWords(text: string): readonly string[] {
  const words = new Set<string>();
  let remaining = text.trim();
  while (remaining !== '') {
    const end = findQuotedEnd(remaining) ?? findWordEnd(remaining);
    const word = remaining.slice(0, end);
    words.add(word.length > 2 && findQuotedEnd(word) === word.length ? word.slice(1, -1) : word);
    remaining = remaining.slice(end).trimStart();
  }
  return [...words];
}

/** Returns the end of a quoted word at the start of the text, or null. A blank or the end of the text must follow the closing quote. */
function findQuotedEnd(text: string): number | null {
  const closingQuote = text.startsWith('"') ? text.indexOf('"', 1) : -1;
  if (closingQuote === -1) return null;
  const end = closingQuote + 1;
  return end === text.length || isBlank(text[end]!) ? end : null;
}

/** Returns the end of the word at the start of the text. */
function findWordEnd(text: string): number {
  let end = 0;
  while (end < text.length && !isBlank(text[end]!)) end++;
  return end;
}

const isBlank = (character: string) => character.trim() === '';
