import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Reader } from '../database.ts';
import { getEngineName } from '../dialect.ts';
import { SCANS_TEXTS } from '../engines/long-statements.ts';
import { getTrigramIndexName, toFtsPhrase } from './trigrams.ts';

/** Escapes a text for a LIKE pattern that is passed to `like`. */
export function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}

/** Maximum length in bytes of a pattern; SQLite rejects longer ones. */
const MAX_PATTERN_BYTES = 50_000;

/**
 * Builds `column LIKE pattern` for folded text in `*_key` columns. These contain names and paths, so that a pattern beyond the
 * maximum length matches nothing.
 */
export function like(column: Expression<string | null>, pattern: string): RawBuilder<SqlBool> {
  if (Buffer.byteLength(pattern) > MAX_PATTERN_BYTES) return sql<SqlBool>`1 = 0`;
  // SQLite has no default escape character, PostgreSQL has the backslash. SQLite's LIKE ignores the case of ASCII letters, which
  // makes no difference for text that is folded already.
  // An expression, because SQLite would plan the statement again for each pattern, to find a range of an index.
  return sql<SqlBool>`${column} like ('' || ${pattern}) escape '\\'`;
}

/** Minimum length of a substring that a trigram index can find. */
const MIN_INDEXED_LENGTH = 3;

/** Returns whether a substring is too short for the index, so that each row must be scanned. */
export const isTooShortForIndex = (part: string): boolean => [...part].length < MIN_INDEXED_LENGTH;

/**
 * Builds the condition that one of `columns` contains this folded text. An index serves three characters and more if a migration
 * has created a `trigramIndex` of the same columns. The query must not alias the table.
 */
export function containsSubstring(
  db: Reader,
  table: string,
  columns: string | readonly string[],
  part: string,
): RawBuilder<SqlBool> {
  const columnNames = [columns].flat();
  if (getEngineName(db) === 'postgres' || isTooShortForIndex(part))
    return containsSubstringUnindexed(table, columnNames, part);
  return sql<SqlBool>`${sql.ref(`${table}.id`)} in (${selectIdsContaining(db, table, columnNames, part)})`;
}

/** Selects the ids of the rows that `containsSubstring` matches, from the index alone where possible. */
export function selectIdsContaining(
  db: Reader,
  table: string,
  columns: string | readonly string[],
  part: string,
): RawBuilder<{ id: number }> {
  const columnNames = [columns].flat();
  if (getEngineName(db) === 'postgres' || isTooShortForIndex(part)) {
    const [id, tableRef] = [sql.ref(`${table}.id`), sql.table(table)];
    return sql`select ${id} from ${tableRef} where ${containsSubstringUnindexed(table, columnNames, part)}`;
  }
  // SQLite's trigram index does not serve LIKE with an escape character; a quoted phrase is equivalent.
  const index = sql.table(getTrigramIndexName(table, columnNames));
  return sql`select rowid as id from ${index} where ${index} match ${toFtsPhrase(part)}`;
}

/** Builds the condition of `containsSubstring` without the index, by scanning each row. */
export function containsSubstringUnindexed(
  table: string,
  columns: readonly string[],
  part: string,
): RawBuilder<SqlBool> {
  const pattern = `%${escapeLike(part)}%`;
  const columnConditions = columns.map((column) => like(sql<string>`${sql.ref(`${table}.${column}`)}`, pattern));
  return columnConditions.length === 1
    ? columnConditions[0]!
    : sql<SqlBool>`(${sql.join(columnConditions, sql` or `)})`;
}

/**
 * Selects `selection` from the rows that `containsSubstring` matches and that fulfil the conditions. Rows are read one by one in the
 * order of the index, so that a limit ends the query early.
 */
export function selectRowsContaining<Row>(
  db: Reader,
  table: string,
  columns: string | readonly string[],
  part: string,
  selection: RawBuilder<Row>,
  conditions: readonly Expression<SqlBool>[],
): RawBuilder<Row> {
  const columnNames = [columns].flat();
  const tableRef = sql.table(table);
  const extraConditions = conditions.map((condition) => sql` and ${condition}`);
  if (getEngineName(db) === 'postgres')
    return sql`select ${selection} from ${tableRef} where ${containsSubstringUnindexed(table, columnNames, part)}${sql.join(extraConditions, sql``)}`;
  const index = sql.table(getTrigramIndexName(table, columnNames));
  // CROSS JOIN keeps SQLite from changing the join order: the index is read first.
  const joinedRows = sql`${index} cross join ${tableRef} on ${sql.ref(`${table}.id`)} = ${index}.rowid`;
  return sql`select ${selection} from ${joinedRows} where ${index} match ${toFtsPhrase(part)}${sql.join(extraConditions, sql``)}`;
}

/**
 * Builds the condition that `text`, of up to one MiB, contains this part, case-sensitively. The cost grows linearly with the
 * length of the text, while LIKE and strpos compare the whole part at each position of a malicious text, which takes seconds.
 * No index serves it.
 */
export function hasSubstringInLongText(db: Reader, text: Expression<string>, part: string): RawBuilder<SqlBool> {
  // Both engines compare many bytes at a time here. `zero_unless_interrupted()` is 0, or throws if the statement was interrupted.
  if (getEngineName(db) === 'sqlite')
    return sql<SqlBool>`${SCANS_TEXTS} instr(${text}, ${part}) > zero_unless_interrupted()`;
  const bytes = (value: unknown) => sql`convert_to(${value}, 'UTF8')`;
  return sql<SqlBool>`${SCANS_TEXTS} position(${bytes(part)} in ${bytes(text)}) > 0`;
}

/**
 * For PostgreSQL: builds the condition of `hasSubstringInLongText` so that a trigram index serves it. An automaton checks the rows;
 * LIKE, which the index serves too, would take seconds for a malicious text.
 */
export function hasIndexedSubstringInLongText(text: Expression<string>, part: string): RawBuilder<SqlBool> {
  // The prefix `***=` makes PostgreSQL treat the rest of the regular expression as literal text.
  return sql<SqlBool>`${SCANS_TEXTS} ${text} ~ ${`***=${part}`}`;
}
