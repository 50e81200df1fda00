import { type SqlBool, sql } from 'kysely';
import type { Reader } from '#database/database.ts';
import { LONG_RUNNING } from '#database/engines/long-statements.ts';
import { countUpTo, type Page, paginate, paginateAfterRows } from '#database/page.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import {
  chooseCountStrategy,
  type IdQueries,
  type IssuableIdQuery,
  type IssuableListParent,
} from '../filters/listing.ts';
import type { IssuableTables } from '../kind.ts';
import { buildTopRowsQuery, MAX_PREFIX_LENGTH } from './order-prefix.ts';

/** The order of a list. */
interface ListOrder<Table extends IssuableTables['table']> {
  readonly order: string;
  readonly direction: 'asc' | 'desc';
  readonly applyOrder: (query: IssuableIdQuery<Table>) => IssuableIdQuery<Table>;
}

/** Orders by a column with nulls, which come last. Their indexes across all projects contain only rows with a value. */
const NULLABLE_ORDERS: readonly string[] = ['due_date', 'weight', 'merged_at'];

/**
 * Orders that have an index across all projects. For other orders all rows are read and sorted. index: issues_of_all_by_created_at,
 * issues_of_all_by_updated_at, issues_of_all_by_upvotes, issues_of_all_by_title, merge_requests_of_all_by_created_at,
 * merge_requests_of_all_by_updated_at, merge_requests_of_all_by_upvotes, merge_requests_of_all_by_title
 */
export const INDEXED_ORDERS: readonly string[] = [
  'created_at',
  'updated_at',
  'popularity',
  'title',
  ...NULLABLE_ORDERS,
];

/** Returns whether an index of each project has its rows in this order: as above, without nulls, which are not part of an index order. */
const isIndexedOrder = (order: string): boolean => INDEXED_ORDERS.includes(order) && !NULLABLE_ORDERS.includes(order);

/** Returns one page of the ids of a list, with the cheapest way to sort and count them. */
export async function paginateIds<Table extends IssuableTables['table']>(
  db: Reader,
  tables: IssuableTables & { readonly table: Table },
  { project }: IssuableListParent,
  idQueries: IdQueries<Table>,
  { order, direction, applyOrder }: ListOrder<Table>,
  page: OffsetRequest,
): Promise<Page<{ id: number }>> {
  const { query, unindexedQuery, count } = await chooseCountStrategy(db, tables, idQueries);
  if (unindexedQuery === null) return paginate(db, applyOrder(query), page, count);
  const countAll = typeof count === 'function' ? count : (limit: number) => countUpTo(db, query, limit);
  if (project) {
    const list = { tables, project, order, direction };
    const topRowsQuery = await buildTopRowsQuery(db, { query, unindexedQuery }, list, page);
    if (topRowsQuery !== null) return paginate(db, applyOrder(topRowsQuery), page, countAll);
  } else if (NULLABLE_ORDERS.includes(order) && page.page * page.perPage < MAX_PREFIX_LENGTH) {
    return paginateNullsLast(db, idQueries.orderedQuery, { table: tables.table, order, direction }, page, countAll);
  }
  const isIndexed = !!project && idQueries.selectsWholeProject && isIndexedOrder(order);
  return paginate(db, applyOrder(query), { ...page, isIndexed }, count);
}

/**
 * Returns one page of a list across projects in one of the `NULLABLE_ORDERS`: first the rows with a value, by an index, then the
 * others. index: issues_of_all_by_due_date, issues_of_all_by_weight, merge_requests_of_all_by_merged_at
 */
async function paginateNullsLast<Table extends IssuableTables['table']>(
  db: Reader,
  query: IssuableIdQuery<Table>,
  { table, order, direction }: { readonly table: Table } & Pick<ListOrder<Table>, 'order' | 'direction'>,
  page: OffsetRequest,
  countAll: (limit: number) => Promise<number>,
): Promise<Page<{ id: number }>> {
  const column = sql.ref(`${table}.${order}`);
  const id = sql.ref(`${table}.id`);
  const rowsWithValue = await query
    .where(sql<SqlBool>`${column} is not null`)
    .orderBy(column, direction)
    .orderBy(id, direction)
    .limit(page.page * page.perPage + 1)
    .modifyEnd(LONG_RUNNING)
    .execute();
  const nullsQuery = query.where(sql<SqlBool>`${column} is null`).orderBy(id, direction);
  const countNulls = async (limit: number) => (await countAll(limit)) - rowsWithValue.length;
  return paginateAfterRows(db, rowsWithValue, nullsQuery, page, countNulls);
}
