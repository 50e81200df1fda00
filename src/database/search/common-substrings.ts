import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Reader } from '../database.ts';
import { engineOf } from '../dialect.ts';
import { mayBeLong } from '../engines/long-statements.ts';
import { countRows } from '../page.ts';
import { containingUnindexed, eachContaining } from './substring-search.ts';
import { phrase, searchName } from './trigrams.ts';

/** Parts that so many rows have that a list of them is better looked through in its order than gathered by the index. */

/** Rows from which on a part is common. */
export const COMMON = 10_000;

/**
 * The same where it is PostgreSQL's expectation. Who gathers them counts them too; who looks through a table for as many as
 * are counted, `COMMON`, has to look at more than half of it, which takes longer.
 */
const MANY_EXPECTED = 2 * COMMON;

/**
 * Whether `containing` would find so many rows that whoever lists them in an order had better look through them in that
 * order (`containingUnindexed`) than gather them by the index. Nothing but a plan may depend on it.
 */
export async function isCommonIn(
  db: Reader,
  table: string,
  columns: string | readonly string[],
  part: string,
  counted: Counted = {},
): Promise<boolean> {
  // PostgreSQL's index gives no row before it has found all; what it expects to find it knows at once. What it expects of
  // two conditions that depend on each other is far off.
  if (engineOf(db) === 'sqlite' || counted.rows)
    return (await countContaining(db, table, columns, part, counted)) > COMMON;
  const found = containingUnindexed(table, [columns].flat(), part);
  const explain = sql<{
    'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }];
  }>`explain (format json) select 1 from ${sql.table(table)} where ${found} ${mayBeLong}`;
  const { rows } = await explain.execute(db);
  return rows[0]!['QUERY PLAN'][0].Plan['Plan Rows'] > MANY_EXPECTED;
}

/** Which of the rows that `countContaining` finds count. */
interface Counted {
  /** Asked of the row. */
  readonly rows?: RawBuilder<SqlBool>;
  /** Asked of its id alone, which spares reading the row. */
  readonly ids?: (id: RawBuilder<number>) => Expression<SqlBool>;
}

/** How many rows `containing` would find, counted no further than `COMMON` and one. */
export async function countContaining(
  db: Reader,
  table: string,
  columns: string | readonly string[],
  part: string,
  { rows, ids }: Counted = {},
): Promise<number> {
  const names = [columns].flat();
  const index = sql.table(searchName(table, names));
  const fits = (id: RawBuilder<number>) => ids?.(id) ?? sql<SqlBool>`1 = 1`;
  const found =
    engineOf(db) === 'postgres' || rows !== undefined
      ? eachContaining(db, table, names, part, sql`1`, [fits(sql.ref<number>(`${table}.id`)), ...(rows ? [rows] : [])])
      : sql`select 1 from ${index} where ${index} match ${phrase(part)} and ${fits(sql<number>`${index}.rowid`)}`;
  return countRows(db, sql`(${found} limit ${sql.lit(COMMON + 1)})`);
}

/** Of those that have a common part so many are looked at before the list is, to count it. */
const LOOKED_AT = 15_000;

/** Asked of a row's id. */
export type OfId = (id: RawBuilder<number>) => Expression<SqlBool>;

interface Fitting {
  readonly fits?: OfId | undefined;
  /** So many rows of the table do not fit at most; null: nobody knows. */
  readonly unfit?: number | null;
  readonly within?: OfId | null;
}

/**
 * Whether more than `COMMON` of the rows that have a common part fit besides; false: a short look at the newest of them, or of
 * those `within` bounds, does not tell. Without `fits` and bounds nothing else is asked of them.
 */
export async function surelyMany(
  db: Reader,
  table: string,
  columns: string | readonly string[],
  part: string,
  { fits, unfit = fits ? null : 0, within }: Fitting = {},
): Promise<boolean> {
  const names = [columns].flat();
  if (unfit !== null && !within) return hasManyEntries(db, table, names, part, unfit);
  // PostgreSQL's index gives no row before it has found all.
  if (engineOf(db) === 'postgres') return false;
  const index = sql.table(searchName(table, names));
  const bounds = within ? sql` and ${within(sql`${index}.rowid`)}` : sql``;
  const found = sql`select rowid as id from ${index} where ${index} match ${phrase(part)}${bounds}`;
  const newest = sql`${found} order by rowid desc limit ${sql.lit(LOOKED_AT)}`;
  const fit = fits ? fits(sql.ref<number>('looked.id')) : sql`1 = 1`;
  const fitting = sql`select 1 from (${newest}) looked where ${fit} limit ${sql.lit(COMMON + 1)}`;
  return (await countRows(db, sql`(${fitting})`)) > COMMON;
}

/** Whether an index alone tells of more rows with a common part than `COMMON` and some others. */
async function hasManyEntries(
  db: Reader,
  table: string,
  names: readonly string[],
  part: string,
  others: number,
): Promise<boolean> {
  const index = sql.table(searchName(table, names));
  // PostgreSQL reads rows for what its trigrams find, and none for a column that another index holds.
  const found =
    engineOf(db) === 'postgres'
      ? sql`select 1 from ${sql.table(table)} where ${containingUnindexed(table, names.slice(0, 1), part)}`
      : sql`select 1 from ${index} where ${index} match ${phrase(part)}`;
  const enough = COMMON + others + 1;
  return (await countRows(db, sql`(${found} limit ${sql.lit(enough)})`)) === enough;
}
