import {
  type Expression,
  type RawBuilder,
  type ReferenceExpression,
  type SelectQueryBuilder,
  type SqlBool,
  sql,
} from 'kysely';
import type { Reader } from './database.ts';
import { isInIds, selectCountAndIds } from './dialect.ts';
import { LONG_RUNNING } from './engines/long-statements.ts';

/** Maximum number of rows that are counted; beyond it the total is unknown. */
export const COUNT_LIMIT = 10_000;

/** Maximum number of rows that a page without the mark of long statements reads: a page of an index takes microseconds for each. */
const MAX_SHORT_PAGE_ROWS = 2_000;

interface PageOptions {
  readonly page: number;
  readonly perPage: number;
  /**
   * Set if an index has the rows in their order, and the query tests none of them: then a page reads only the rows before its end.
   * SQLite needs no thread for it, and PostgreSQL gets it in the message of other reads.
   */
  readonly isIndexed?: boolean;
}

export interface Page<Item> {
  readonly items: Item[];
  /** Number of rows of all pages; null if more than `COUNT_LIMIT`. */
  readonly total: number | null;
  /** Whether a next page exists. */
  readonly hasMore: boolean;
}

/**
 * A cheaper way to count the rows of a query: a function that may stop counting at the limit, or `countInPageQuery`, which counts
 * in the statement of the page. The latter suits queries that find all rows before they sort them.
 */
export type CountStrategy = ((limit: number) => Promise<number>) | 'countInPageQuery';

/**
 * Returns one page of an ordered query by page number (from 1). Counts the rows only if the page does not determine the total,
 * and never more than `COUNT_LIMIT`.
 */
export function paginate<DB, TB extends keyof DB, Item>(
  db: Reader,
  query: SelectQueryBuilder<DB, TB, Item>,
  page: PageOptions,
  count?: CountStrategy,
): Promise<Page<Item>> {
  return paginateAfterRows(db, [], query, page, count);
}

/** Returns one page, as `paginate`, of a list that begins with `leadingRows`, followed by those of the query. */
export async function paginateAfterRows<DB, TB extends keyof DB, Item>(
  db: Reader,
  leadingRows: readonly Item[],
  query: SelectQueryBuilder<DB, TB, Item>,
  { page, perPage, isIndexed = false }: PageOptions,
  count?: CountStrategy,
): Promise<Page<Item>> {
  const precedingCount = (page - 1) * perPage;
  const leadingItems = leadingRows.slice(precedingCount, precedingCount + perPage + 1);
  const { items, countedTotal } = await loadPageRows(query, count === 'countInPageQuery', {
    limit: perPage + 1 - leadingItems.length,
    offset: Math.max(0, precedingCount - leadingRows.length),
    isShort: isIndexed,
  });
  const foundItems = [...leadingItems, ...items];
  const hasMore = foundItems.length > perPage;
  // An empty later page may be beyond the end, so that the total is unknown.
  const isTotalKnown = !hasMore && (foundItems.length > 0 || page === 1);
  const countQueryRows = typeof count === 'function' ? count : (limit: number) => countUpTo(db, query, limit);
  const total = isTotalKnown
    ? precedingCount + foundItems.length
    : leadingRows.length + (countedTotal ?? (await countQueryRows(COUNT_LIMIT + 1)));
  return { items: foundItems.slice(0, perPage), total: total > COUNT_LIMIT ? null : total, hasMore };
}

/** Returns the rows of one page and, if requested, the total in the same statement; no total for an empty page. */
async function loadPageRows<DB, TB extends keyof DB, Item>(
  query: SelectQueryBuilder<DB, TB, Item>,
  countInQuery: boolean,
  { limit, offset, isShort }: { readonly limit: number; readonly offset: number; readonly isShort: boolean },
): Promise<{ items: Item[]; countedTotal?: number | undefined }> {
  const limitedQuery = query.limit(limit).offset(offset);
  const isLong = !isShort || countInQuery || offset + limit > MAX_SHORT_PAGE_ROWS;
  const pageQuery = isLong ? limitedQuery.modifyEnd(LONG_RUNNING) : limitedQuery;
  if (!countInQuery) return { items: await pageQuery.execute() };
  const countedQuery = pageQuery.select(sql<number>`count(*) over ()`.as('total_rows'));
  const rows = (await countedQuery.execute()) as unknown as { total_rows: number }[];
  const items = rows.map(({ total_rows, ...row }) => row as Item);
  return { items, countedTotal: rows[0]?.total_rows };
}

/** Counts the rows of a query, up to `limit`. */
export async function countUpTo<DB, TB extends keyof DB, Item>(
  db: Reader,
  query: SelectQueryBuilder<DB, TB, Item>,
  limit: number,
): Promise<number> {
  const node = query.toOperationNode();
  const unorderedQuery = query.clearOrderBy();
  // With DISTINCT or UNION, the selected columns determine the number of rows.
  const columnsAffectCount =
    node.frontModifiers !== undefined || node.distinctOn !== undefined || node.setOperations !== undefined;
  const countedQuery = columnsAffectCount ? unorderedQuery : unorderedQuery.clearSelect().select(sql.lit(1).as('one'));
  return countRows(db, sql`${countedQuery.limit(limit)}`);
}

/** The matches of a list, found by a scan without its sort order. */
export interface ScanResult {
  /** Builds the condition that an id is one of the matches; null if there are too many matches. */
  readonly buildMatchCondition: ((id: Expression<number>) => RawBuilder<SqlBool>) | null;
  readonly count: CountStrategy;
}

/**
 * Finds the ids of a list in the cheapest order, before the list is read in its sort order. The cost equals that of counting
 * them. Few matches are then sorted; with many matches, a scan in sort order fills a page early. The query selects ids only.
 * `idLimit` is the maximum number of ids that are returned; use a lower one for lists that are mostly short.
 */
export async function scanMatches<DB, TB extends keyof DB>(
  db: Reader,
  query: SelectQueryBuilder<DB, TB, { id: number }>,
  idLimit = COUNT_LIMIT,
): Promise<ScanResult> {
  const countQuery = selectCountAndIds(db, sql`${query.limit(COUNT_LIMIT + 1)}`, idLimit);
  const { rows } = await sql<{ count: number; ids: string | null }>`${countQuery} ${LONG_RUNNING}`.execute(db);
  const { count, ids } = rows[0]!;
  const knownIds: number[] | null = ids === null ? null : JSON.parse(ids);
  return { buildMatchCondition: knownIds && ((id) => isInIds(db, id, knownIds)), count: async () => count };
}

/** Counts the rows of a subquery in parentheses, which contains its own limit. */
export async function countRows(db: Reader, subquery: RawBuilder<unknown>): Promise<number> {
  const countQuery = sql<{ count: number }>`select count(*) as count from ${subquery} as counted ${LONG_RUNNING}`;
  return (await countQuery.execute(db)).rows[0]!.count;
}

interface KeysetOptions {
  readonly direction: 'asc' | 'desc';
  readonly limit: number;
  /** The values of the last row of the previous page. */
  readonly after?: { readonly value: unknown; readonly id: unknown } | undefined;
}

/**
 * Returns one page by keyset: the rows after `after` in the order of (`column`, `id`), both in the same direction. The query must
 * not be ordered yet, `column` must not be nullable, and an index on both is needed. Pass the id twice to order by it alone.
 */
export async function paginateByKey<DB, TB extends keyof DB, Item>(
  query: SelectQueryBuilder<DB, TB, Item>,
  column: ReferenceExpression<DB, TB> & string,
  id: ReferenceExpression<DB, TB> & string,
  { direction, limit, after }: KeysetOptions,
): Promise<Pick<Page<Item>, 'items' | 'hasMore'>> {
  const operator = sql.raw(direction === 'asc' ? '>' : '<');
  const isSingleColumn = column === id;
  let orderedQuery = query.orderBy(sql.ref(column), direction);
  if (!isSingleColumn) orderedQuery = orderedQuery.orderBy(sql.ref(id), direction);
  if (after) {
    const condition = isSingleColumn
      ? sql<SqlBool>`${sql.ref(id)} ${operator} ${after.id}`
      : sql<SqlBool>`(${sql.ref(column)}, ${sql.ref(id)}) ${operator} (${after.value}, ${after.id})`;
    orderedQuery = orderedQuery.where(condition);
  }
  const rows = await orderedQuery
    .limit(limit + 1)
    .modifyEnd(LONG_RUNNING)
    .execute();
  return { items: rows.slice(0, limit), hasMore: rows.length > limit };
}

/** Returns whether the query finds a row. Reads at most one row. */
export async function hasRow<DB, TB extends keyof DB, Row>(query: SelectQueryBuilder<DB, TB, Row>): Promise<boolean> {
  return (await query.limit(1).executeTakeFirst()) !== undefined;
}
