import {
  type Expression,
  type RawBuilder,
  type ReferenceExpression,
  type SelectQueryBuilder,
  type SqlBool,
  sql,
} from 'kysely';
import type { Reader } from './database.ts';
import { idsAsJson, isAmong } from './dialect.ts';
import { mayBeLong } from './engines/long-statements.ts';

/** More rows than this are not counted: the total is then unknown. */
export const countLimit = 10_000;

export interface Page<Item> {
  readonly items: Item[];
  /** How many rows all pages have together; null when more than `countLimit`. */
  readonly total: number | null;
  /** Whether a next page exists. */
  readonly more: boolean;
}

/**
 * Another way to count a query's rows, where one is cheaper: all of them, or at least as many as the limit. `gathered`: in
 * the statement of the page itself, which finds all before it sorts them.
 */
export type Count = ((limit: number) => Promise<number>) | 'gathered';

/**
 * One page of a query by number (from 1). The query is complete and ordered; it is counted only when the page itself does not tell
 * the total, and never further than `countLimit`.
 */
export function paged<DB, TB extends keyof DB, Item>(
  db: Reader,
  query: SelectQueryBuilder<DB, TB, Item>,
  page: { readonly page: number; readonly perPage: number },
  count?: Count,
): Promise<Page<Item>> {
  return pagedAfter(db, [], query, page, count);
}

/** As `paged`, of a list that begins with rows which are known, the query's following them. */
export async function pagedAfter<DB, TB extends keyof DB, Item>(
  db: Reader,
  first: readonly Item[],
  query: SelectQueryBuilder<DB, TB, Item>,
  { page, perPage }: { readonly page: number; readonly perPage: number },
  count?: Count,
): Promise<Page<Item>> {
  const before = (page - 1) * perPage;
  const head = first.slice(before, before + perPage + 1);
  const { found, told } = await rowsOf(query, count === 'gathered', {
    limit: perPage + 1 - head.length,
    offset: Math.max(0, before - first.length),
  });
  const all = [...head, ...found];
  const more = all.length > perPage;
  const toldByPage = !more && (all.length > 0 || page === 1);
  const others = typeof count === 'function' ? count : (limit: number) => countUpTo(db, query, limit);
  const total = toldByPage ? before + all.length : first.length + (told ?? (await others(countLimit + 1)));
  return { items: all.slice(0, perPage), total: total > countLimit ? null : total, more };
}

/** The rows of one page; `gathered`: and how many there are on all, unless the page is empty. */
async function rowsOf<DB, TB extends keyof DB, Item>(
  query: SelectQueryBuilder<DB, TB, Item>,
  gathered: boolean,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<{ found: Item[]; told?: number | undefined }> {
  const page = query.limit(limit).offset(offset).modifyEnd(mayBeLong);
  if (!gathered) return { found: await page.execute() };
  const counted = page.select(sql<number>`count(*) over ()`.as('rows_on_all'));
  const rows = (await counted.execute()) as unknown as { rows_on_all: number }[];
  const found = rows.map(({ rows_on_all, ...row }) => row as Item);
  return { found, told: rows[0]?.rows_on_all };
}

/** How many rows a query has, counted no further than `limit`. */
export async function countUpTo<DB, TB extends keyof DB, Item>(
  db: Reader,
  query: SelectQueryBuilder<DB, TB, Item>,
  limit: number,
): Promise<number> {
  const node = query.toOperationNode();
  const bare = query.clearOrderBy();
  // With DISTINCT or UNION the columns decide what counts as one row.
  const columnsCount =
    node.frontModifiers !== undefined || node.distinctOn !== undefined || node.setOperations !== undefined;
  const rows = columnsCount ? bare : bare.clearSelect().select(sql.lit(1).as('one'));
  return countRows(db, sql`${rows.limit(limit)}`);
}

/** What is known of a list that has been looked through before it is ordered. */
export interface LookedThrough {
  /** Of the list's own column: it is one of those that fit; null: they are not few. */
  readonly isKnown: ((id: Expression<number>) => RawBuilder<SqlBool>) | null;
  readonly count: Count;
}

/**
 * A list that may hold few of very many is looked through in whatever order is cheapest before it is walked in its own, which
 * costs no more than to count it: few are ordered, many are soon met with. The query tells ids alone. `few`: of a list that
 * is mostly short enough to be walked not many are worth it.
 */
export async function lookThrough<DB, TB extends keyof DB>(
  db: Reader,
  query: SelectQueryBuilder<DB, TB, { id: number }>,
  few = countLimit,
): Promise<LookedThrough> {
  const found = idsAsJson(db, sql`${query.limit(countLimit + 1)}`, few);
  const { rows } = await sql<{ count: number; ids: string | null }>`${found} ${mayBeLong}`.execute(db);
  const { count, ids } = rows[0]!;
  const known: number[] | null = ids === null ? null : JSON.parse(ids);
  return { isKnown: known && ((id) => isAmong(db, id, known)), count: async () => count };
}

/** How many rows a statement finds, which says itself when it has found enough. */
export async function countRows(db: Reader, rows: RawBuilder<unknown>): Promise<number> {
  const counted = sql<{ count: number }>`select count(*) as count from ${rows} as counted ${mayBeLong}`;
  return (await counted.execute(db)).rows[0]!.count;
}

export interface Keyset {
  readonly direction: 'asc' | 'desc';
  readonly limit: number;
  /** The values of the last row of the page before. */
  readonly after?: { readonly value: unknown; readonly id: unknown } | undefined;
}

/**
 * One page of a query by key: the rows after `after` in the order of (`column`, `id`), both in the same direction. The
 * query is not ordered yet; `column` is never null; an index on both serves it. Give the id twice to order by it alone.
 */
export async function keyset<DB, TB extends keyof DB, Item>(
  query: SelectQueryBuilder<DB, TB, Item>,
  column: ReferenceExpression<DB, TB> & string,
  id: ReferenceExpression<DB, TB> & string,
  { direction, limit, after }: Keyset,
): Promise<Pick<Page<Item>, 'items' | 'more'>> {
  const beyond = sql.raw(direction === 'asc' ? '>' : '<');
  const single = column === id;
  let ordered = query.orderBy(sql.ref(column), direction);
  if (!single) ordered = ordered.orderBy(sql.ref(id), direction);
  if (after) {
    const condition = single
      ? sql<SqlBool>`${sql.ref(id)} ${beyond} ${after.id}`
      : sql<SqlBool>`(${sql.ref(column)}, ${sql.ref(id)}) ${beyond} (${after.value}, ${after.id})`;
    ordered = ordered.where(condition);
  }
  const found = await ordered
    .limit(limit + 1)
    .modifyEnd(mayBeLong)
    .execute();
  return { items: found.slice(0, limit), more: found.length > limit };
}
