import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import type { Schema } from '#database/database.ts';
import { type IssuableTables, memoizeByTables } from '../kind.ts';

/** Sort orders with nulls last in both directions (contract/planning.md §3.6). */

type Direction = 'asc' | 'desc';

/**
 * Sorts by a column, nulls last. The engines place nulls differently, so the index includes an expression that marks nulls; its
 * sense depends on the direction, so that the index is read in one direction.
 */
export function orderNullsLast<Table extends IssuableTables['table']>(
  query: SelectQueryBuilder<Schema, Table, { id: number }>,
  value: RawBuilder<unknown>,
  direction: Direction,
) {
  const sign = direction === 'asc' ? sql`(${value} is null)` : sql`(${value} is not null)`;
  return query.orderBy(sign, direction).orderBy(value, direction);
}

/** A computed sort value, with a value below and one above all others. */
export interface ComputedOrder {
  readonly value: RawBuilder<unknown>;
  readonly low: RawBuilder<unknown>;
  readonly high: RawBuilder<unknown>;
}

/** Sorts by a computed value, nulls last, evaluating it once: null is replaced by a value that sorts last. */
export function orderComputedNullsLast<Table extends IssuableTables['table']>(
  query: SelectQueryBuilder<Schema, Table, { id: number }>,
  value: ComputedOrder,
  direction: Direction,
) {
  const nullValue = direction === 'asc' ? value.high : value.low;
  return query.orderBy(sql`coalesce(${value.value}, ${nullValue})`, direction);
}

/**
 * Lowest priority that the project has given to a label of the issuable. index: issue_labels_pkey,
 * merge_request_labels_pkey, label_priorities_pkey
 */
export const labelPriority = memoizeByTables(
  (tables: IssuableTables): ComputedOrder => ({
    value: sql`(select min(given.priority) from ${sql.table(tables.labelTable)} as worn
  inner join label_priorities as given on given.label_id = worn.label_id
  where ${sql.ref(`worn.${tables.foreignKey}`)} = ${sql.ref(`${tables.table}.id`)} and given.project_id = ${sql.ref(`${tables.table}.project_id`)})`,
    low: sql.lit(-1),
    high: sql.lit(Number.MAX_SAFE_INTEGER),
  }),
);
