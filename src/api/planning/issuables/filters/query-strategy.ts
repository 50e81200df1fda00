import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Reader } from '#database/database.ts';
import { countRows } from '#database/page.ts';
import { COMMON_THRESHOLD } from '#database/search/common-substrings.ts';
import type { IssuableListScope } from '../kind.ts';

/**
 * A long list is either scanned in its sort order, checking each row, or its rows are found by an index and sorted. Scanning is
 * fast when many rows match, the index when few do. No engine knows beforehand which it is, so matches are counted up to a limit.
 */

/** A filter condition of a list, with alternatives for the query plan. */
export interface ListCondition {
  /** Tests one row. */
  readonly predicate: Expression<SqlBool>;
  /** Subquery for the ids of all matching rows, if an index can answer it. */
  readonly ids?: RawBuilder<unknown>;
  /** Subquery for a superset of these ids, if it is cheaper. Its rows must still be tested with the predicate. */
  readonly idsSuperset?: RawBuilder<unknown>;
  /** The predicate for queries that read all rows in no order, where the engine may choose any index. */
  readonly unorderedPredicate?: Expression<SqlBool>;
  /** The negation for such queries, never null. PostgreSQL cannot turn a double negation into a join. */
  readonly negatedPredicate?: Expression<SqlBool>;
  /** The predicate scans long texts, so it is evaluated and counted last. */
  readonly isExpensive?: true;
}

/** A condition with at most this many rows is selective enough; no other one is counted. */
const MAX_LISTED_MATCHES = 500;

/** Maximum number of conditions that are counted; each costs a statement. */
const MAX_COUNTED_CONDITIONS = 6;

/** A project with at most this many rows is scanned, because the search index covers the whole instance. */
const SMALL_PROJECT_SIZE = 2_000;

/** Returns a condition that few rows fulfil, or null if many rows fulfil each of them. */
export async function findMostSelective(
  db: Reader,
  conditions: readonly ListCondition[],
): Promise<ListCondition | null> {
  let [bestCondition, minCount]: [ListCondition | null, number] = [null, COMMON_THRESHOLD];
  for (const condition of conditions.filter(({ ids }) => ids !== undefined).slice(0, MAX_COUNTED_CONDITIONS)) {
    const count = await countUpTo(db, condition.idsSuperset ?? condition.ids!, minCount + 1);
    if (count <= minCount) [bestCondition, minCount] = [condition, count];
    if (minCount <= MAX_LISTED_MATCHES) return bestCondition;
  }
  return bestCondition;
}

/** Returns whether the list is of a project with few rows, which is always scanned. */
export async function isSmallProject(db: Reader, { tables, project }: IssuableListScope): Promise<boolean> {
  if (project === null) return false;
  const all = sql`select 1 from ${sql.table(tables.table)} where project_id = ${project.id}`;
  return (await countUpTo(db, all, SMALL_PROJECT_SIZE + 1)) <= SMALL_PROJECT_SIZE;
}

function countUpTo(db: Reader, ids: RawBuilder<unknown>, limit: number): Promise<number> {
  return countRows(db, sql`(${ids} limit ${sql.lit(limit)})`);
}
