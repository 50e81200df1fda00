import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Reader } from '../database.ts';
import { engineOf } from '../dialect.ts';
import { phrase, searchName } from './trigrams.ts';

/** Parts of texts: how they are found in each row, or by an index of trigrams. */

/** `text` for use in a LIKE pattern where it means itself; the pattern goes through `like`. */
export function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}

/** Bytes of the longest pattern that SQLite takes. */
const LONGEST_PATTERN = 50_000;

/**
 * `column LIKE pattern`, case-sensitive on both engines: compare folded text in `*_key` columns. They hold names and paths,
 * so that nothing is like a pattern which is longer than an engine can take.
 */
export function like(column: Expression<string | null>, pattern: string): RawBuilder<SqlBool> {
  if (Buffer.byteLength(pattern) > LONGEST_PATTERN) return sql<SqlBool>`1 = 0`;
  // SQLite has no default escape character, PostgreSQL has the backslash. SQLite's LIKE folds ASCII letters, which makes
  // no difference for text that is folded already.
  return sql<SqlBool>`${column} like ${pattern} escape '\\'`;
}

/** Characters that an index of parts can look for. */
const SHORTEST_PART = 3;

/** Too short for the index: looked for in each row. */
export const isShortPart = (part: string): boolean => [...part].length < SHORTEST_PART;

/**
 * One of `columns` has this folded text somewhere inside. An index serves three characters and more where the migration
 * said `makeSearchable` of the same columns; the query calls the table by its own name.
 */
export function containing(
  db: Reader,
  table: string,
  columns: string | readonly string[],
  part: string,
): RawBuilder<SqlBool> {
  const names = [columns].flat();
  if (engineOf(db) === 'postgres' || isShortPart(part)) return containingUnindexed(table, names, part);
  return sql<SqlBool>`${sql.ref(`${table}.id`)} in (${idsContaining(db, table, names, part)})`;
}

/** The query for the ids of the rows that `containing` means, which are not read for it where the index tells them. */
export function idsContaining(
  db: Reader,
  table: string,
  columns: string | readonly string[],
  part: string,
): RawBuilder<{ id: number }> {
  const names = [columns].flat();
  if (engineOf(db) === 'postgres' || isShortPart(part)) {
    const [id, whole] = [sql.ref(`${table}.id`), sql.table(table)];
    return sql`select ${id} from ${whole} where ${containingUnindexed(table, names, part)}`;
  }
  // LIKE with an escape character is not served by the trigrams; a quoted phrase means the same.
  const index = sql.table(searchName(table, names));
  return sql`select rowid as id from ${index} where ${index} match ${phrase(part)}`;
}

/** As `containing`, by looking at each row. */
export function containingUnindexed(table: string, columns: readonly string[], part: string): RawBuilder<SqlBool> {
  const pattern = `%${escapeLike(part)}%`;
  const fits = columns.map((column) => like(sql<string>`${sql.ref(`${table}.${column}`)}`, pattern));
  return fits.length === 1 ? fits[0]! : sql<SqlBool>`(${sql.join(fits, sql` or `)})`;
}

/**
 * `select tell` of the rows that `containing` means and that fulfil the conditions. They are read one by one, as the index
 * names them: whoever needs some of many says with a limit where it ends.
 */
export function eachContaining<Told>(
  db: Reader,
  table: string,
  columns: string | readonly string[],
  part: string,
  tell: RawBuilder<Told>,
  conditions: readonly Expression<SqlBool>[],
): RawBuilder<Told> {
  const names = [columns].flat();
  const whole = sql.table(table);
  const also = conditions.map((condition) => sql` and ${condition}`);
  if (engineOf(db) === 'postgres') {
    return sql`select ${tell} from ${whole} where ${containingUnindexed(table, names, part)}${sql.join(also, sql``)}`;
  }
  const index = sql.table(searchName(table, names));
  const each = sql`${index} cross join ${whole} on ${sql.ref(`${table}.id`)} = ${index}.rowid`;
  return sql`select ${tell} from ${each} where ${index} match ${phrase(part)}${sql.join(also, sql``)}`;
}

/** `text` has this part, as it is written. No index serves it. */
export function hasInside(db: Reader, text: Expression<string>, part: string): RawBuilder<SqlBool> {
  const position = sql.raw(engineOf(db) === 'sqlite' ? 'instr' : 'strpos');
  return sql<SqlBool>`${position}(${text}, ${part}) > 0`;
}
