import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Reader } from '#database/database.ts';
import { countRows } from '#database/page.ts';
import { COMMON_THRESHOLD } from '#database/search/common-substrings.ts';
import type { IssuableListScope } from '../kind.ts';

// Query strategy of long lists. A scan in sort order tests each row and is fast if many rows match. An index lookup with a sort is
// fast if few rows match. The engines cannot estimate the number, so matches are counted up to a limit.

/** A filter condition of a list, with alternatives for the query plan. */
export interface ListCondition {
  /** Tests one row. */
  readonly predicate: Expression<SqlBool>;
  /** Subquery for the ids of all matching rows, if an index can answer it. */
  readonly ids?: RawBuilder<unknown>;
  /** Builds `ids` from what it reads first. Called only if the list is large. */
  readonly loadIds?: () => Promise<RawBuilder<unknown>>;
  /** Set in the list of a group if `ids` contains only rows of its projects. Other ids say little about the group. */
  readonly hasIdsOfGroup?: true;
  /** Subquery for a superset of `ids`, if the superset is cheaper. Its rows must still be tested with the predicate. */
  readonly idsSuperset?: RawBuilder<unknown>;
  /** The predicate for queries that read all rows unsorted, for which the engine may choose any index. */
  readonly unsortedQueryPredicate?: Expression<SqlBool>;
  /** The negation of `unsortedQueryPredicate`, never SQL null. PostgreSQL cannot turn a double negation into a join. */
  readonly negatedPredicate?: Expression<SqlBool>;
  /** Set if a query of a group would repeat the search of `unsortedQueryPredicate` in each project; it then uses the predicate. */
  readonly repeatsSearchInGroups?: true;
  /**
   * Set if the matching rows are neighbours in the list, possibly far from its beginning: a scan in sort order may then read many
   * rows before the first match.
   */
  readonly isClustered?: true;
  /** Set if the predicate scans long texts; it is then evaluated and counted last. */
  readonly isExpensive?: true;
}

/** Number of matches up to which a condition is selective enough, so that no further conditions are counted. */
const SELECTIVE_ENOUGH = 500;

/** Maximum number of conditions whose matches are counted. Each count is one SQL statement. */
const MAX_COUNTED_CONDITIONS = 6;

/** Projects with at most this number of rows are always scanned: an index of the whole instance would not be faster. */
const SMALL_PROJECT_SIZE = 2_000;

/** The limit for conditions with clustered matches, for which a scan in sort order may be slow. */
const CLUSTERED_THRESHOLD = 3 * COMMON_THRESHOLD;

/**
 * Returns the condition with the fewest matches, or null if all conditions have more than `COMMON_THRESHOLD` or
 * `CLUSTERED_THRESHOLD` matches.
 */
export async function findMostSelective(
  db: Reader,
  conditions: readonly ListCondition[],
): Promise<ListCondition | null> {
  let [bestCondition, minCount]: [ListCondition | null, number] = [null, CLUSTERED_THRESHOLD];
  const countedConditions = conditions.filter(({ ids, loadIds }) => ids ?? loadIds).slice(0, MAX_COUNTED_CONDITIONS);
  for (const counted of countedConditions) {
    const condition = counted.loadIds ? { ...counted, ids: await counted.loadIds() } : counted;
    const limit = condition.isClustered ? minCount : Math.min(minCount, COMMON_THRESHOLD);
    const count = await countUpTo(db, condition.idsSuperset ?? condition.ids!, limit + 1);
    if (count <= limit) [bestCondition, minCount] = [condition, count];
    if (minCount <= SELECTIVE_ENOUGH) return bestCondition;
  }
  return bestCondition;
}

/** Returns whether the list covers one project with at most `SMALL_PROJECT_SIZE` rows, which is always scanned. */
export async function isSmallProject(db: Reader, { tables, project }: IssuableListScope): Promise<boolean> {
  if (project === null) return false;
  const projectRows = sql`select 1 from ${sql.table(tables.table)} where project_id = ${project.id}`;
  return (await countUpTo(db, projectRows, SMALL_PROJECT_SIZE + 1)) <= SMALL_PROJECT_SIZE;
}

/** Returns the number of ids, at most `limit`. */
function countUpTo(db: Reader, ids: RawBuilder<unknown>, limit: number): Promise<number> {
  return countRows(db, sql`(${ids} limit ${sql.lit(limit)})`);
}
