import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Reader } from '../database.ts';
import { getEngineName } from '../dialect.ts';
import { LONG_RUNNING } from '../engines/long-statements.ts';
import { countRows } from '../page.ts';
import { containsSubstringUnindexed, selectRowsContaining } from './substring-search.ts';
import { getTrigramIndexName, toFtsPhrase } from './trigrams.ts';

/**
 * A substring is common if more rows than this contain it. Then a list is faster if it scans its rows in order than if it
 * collects all matches from the trigram index.
 */
export const COMMON_THRESHOLD = 10_000;

/**
 * The threshold for PostgreSQL's row estimate. Collecting the matches counts them too, while a scan must read more than half of
 * the table to count `COMMON_THRESHOLD` rows, which takes longer.
 */
const EXPECTED_ROWS_THRESHOLD = 2 * COMMON_THRESHOLD;

/**
 * Returns whether `containsSubstring` matches so many rows that an ordered list should scan its rows
 * (`containsSubstringUnindexed`) instead of using the index. Use it only to choose a query plan.
 */
export async function isCommonSubstring(
  db: Reader,
  table: string,
  columns: string | readonly string[],
  part: string,
  conditions: CountConditions = {},
): Promise<boolean> {
  // PostgreSQL's index returns no row before it has found all, but the planner's estimate is immediate. With further conditions,
  // the estimate is wrong, because it assumes that the conditions are independent.
  if (getEngineName(db) === 'sqlite' || conditions.rowCondition)
    return (await countMatches(db, table, columns, part, conditions)) > COMMON_THRESHOLD;
  const matchesSubstring = containsSubstringUnindexed(table, [columns].flat(), part);
  const explainQuery = sql<{
    'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }];
  }>`explain (format json) select 1 from ${sql.table(table)} where ${matchesSubstring} ${LONG_RUNNING}`;
  const { rows } = await explainQuery.execute(db);
  return rows[0]!['QUERY PLAN'][0].Plan['Plan Rows'] > EXPECTED_ROWS_THRESHOLD;
}

/** Further conditions on the rows that `countMatches` counts. */
interface CountConditions {
  /** Condition on the row. */
  readonly rowCondition?: RawBuilder<SqlBool>;
  /** Condition on the id alone, which avoids reading the row. */
  readonly idCondition?: (id: RawBuilder<number>) => Expression<SqlBool>;
}

/** Counts the rows that `containsSubstring` matches, up to `COMMON_THRESHOLD` + 1. */
export async function countMatches(
  db: Reader,
  table: string,
  columns: string | readonly string[],
  part: string,
  { rowCondition: rows, idCondition: ids }: CountConditions = {},
): Promise<number> {
  const columnNames = [columns].flat();
  const index = sql.table(getTrigramIndexName(table, columnNames));
  const matchesId = (id: RawBuilder<number>) => ids?.(id) ?? sql<SqlBool>`1 = 1`;
  // SQLite counts in the index alone, unless a condition needs the row.
  const matchingRows =
    getEngineName(db) === 'postgres' || rows !== undefined
      ? selectRowsContaining(db, table, columnNames, part, sql`1`, [
          matchesId(sql.ref<number>(`${table}.id`)),
          ...(rows ? [rows] : []),
        ])
      : sql`select 1 from ${index} where ${index} match ${toFtsPhrase(part)} and ${matchesId(sql<number>`${index}.rowid`)}`;
  return countRows(db, sql`(${matchingRows} limit ${sql.lit(COMMON_THRESHOLD + 1)})`);
}

/** Number of matches of a common substring that are scanned to decide whether a list is long. */
const SCAN_LIMIT = 15_000;

/** Builds a condition on a row's id. */
export type IdCondition = (id: RawBuilder<number>) => Expression<SqlBool>;

interface MatchConditions {
  /** Condition that the counted rows must fulfil too. */
  readonly matchesFilter?: IdCondition | undefined;
  /** Maximum number of rows of the table that do not fulfil `matchesFilter`; null if unknown. */
  readonly excludedCount?: number | null;
  /** Limits the scanned rows to a range of ids. */
  readonly idBound?: IdCondition | null;
}

/**
 * Returns whether more than `COMMON_THRESHOLD` rows with a common substring also fulfil `matchesFilter`. False may also mean that the
 * answer is unknown: only the newest matches, or those within `idBound`, are scanned.
 */
export async function hasManyMatches(
  db: Reader,
  table: string,
  columns: string | readonly string[],
  part: string,
  { matchesFilter, excludedCount = matchesFilter ? null : 0, idBound }: MatchConditions = {},
): Promise<boolean> {
  const columnNames = [columns].flat();
  if (excludedCount !== null && !idBound) return hasManyEntries(db, table, columnNames, part, excludedCount);
  // PostgreSQL's index returns no row before it has found all.
  if (getEngineName(db) === 'postgres') return false;
  const index = sql.table(getTrigramIndexName(table, columnNames));
  const bounds = idBound ? sql` and ${idBound(sql`${index}.rowid`)}` : sql``;
  const matchingRows = sql`select rowid as id from ${index} where ${index} match ${toFtsPhrase(part)}${bounds}`;
  const newestRows = sql`${matchingRows} order by rowid desc limit ${sql.lit(SCAN_LIMIT)}`;
  const isIncluded = matchesFilter ? matchesFilter(sql.ref<number>('newest.id')) : sql`1 = 1`;
  const filteredRows = sql`select 1 from (${newestRows}) newest where ${isIncluded} limit ${sql.lit(COMMON_THRESHOLD + 1)}`;
  return (await countRows(db, sql`(${filteredRows})`)) > COMMON_THRESHOLD;
}

/** Returns whether more than `COMMON_THRESHOLD` + `excludedCount` rows match, so that enough remain without the excluded ones. */
async function hasManyEntries(
  db: Reader,
  table: string,
  columnNames: readonly string[],
  part: string,
  excludedCount: number,
): Promise<boolean> {
  const index = sql.table(getTrigramIndexName(table, columnNames));
  // PostgreSQL must read the row of each trigram match; a scan of another index that contains the column reads no rows.
  const matchingRows =
    getEngineName(db) === 'postgres'
      ? sql`select 1 from ${sql.table(table)} where ${containsSubstringUnindexed(table, columnNames.slice(0, 1), part)}`
      : sql`select 1 from ${index} where ${index} match ${toFtsPhrase(part)}`;
  const rowLimit = COMMON_THRESHOLD + excludedCount + 1;
  return (await countRows(db, sql`(${matchingRows} limit ${sql.lit(rowLimit)})`)) === rowLimit;
}
