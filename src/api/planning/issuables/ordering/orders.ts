import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import type { Schema } from '#database/database.ts';
import { type IssuableTables, memoizeByTables } from '../kind.ts';

// Sort orders with nulls last in both directions (contract/planning.md §3.6).

type Direction = 'asc' | 'desc';

/**
 * Sorts by a column, nulls last. The engines place nulls differently, so the index includes an expression for null. The expression
 * depends on the direction, so that both sort keys have the same direction, as the index scan requires.
 */
export function orderNullsLast<Table extends IssuableTables['table']>(
  query: SelectQueryBuilder<Schema, Table, { id: number }>,
  value: RawBuilder<unknown>,
  direction: Direction,
) {
  const nullRank = direction === 'asc' ? sql`(${value} is null)` : sql`(${value} is not null)`;
  return query.orderBy(nullRank, direction).orderBy(value, direction);
}

/** A computed sort value; `belowAll` sorts before and `aboveAll` after all its values. */
interface ComputedOrder {
  readonly value: RawBuilder<unknown>;
  readonly belowAll: RawBuilder<unknown>;
  readonly aboveAll: RawBuilder<unknown>;
}

/**
 * Sorts by a computed value, nulls last. Replaces null by a value that sorts last: a separate sort key for null would compute the
 * value a second time.
 */
export function orderComputedNullsLast<Table extends IssuableTables['table']>(
  query: SelectQueryBuilder<Schema, Table, { id: number }>,
  order: ComputedOrder,
  direction: Direction,
) {
  const nullValue = direction === 'asc' ? order.aboveAll : order.belowAll;
  return query.orderBy(sql`coalesce(${order.value}, ${nullValue})`, direction);
}

/**
 * Lowest priority number, in the project, of the labels of the issuable. index: issue_labels_pkey,
 * merge_request_labels_pkey, label_priorities_pkey
 */
export const labelPriorityOrder = memoizeByTables(
  (tables: IssuableTables): ComputedOrder => ({
    value: sql`(select min(label_priority.priority) from ${sql.table(tables.labelTable)} as label_link
  inner join label_priorities as label_priority on label_priority.label_id = label_link.label_id
  where ${sql.ref(`label_link.${tables.foreignKey}`)} = ${sql.ref(`${tables.table}.id`)} and label_priority.project_id = ${sql.ref(`${tables.table}.project_id`)})`,
    belowAll: sql.lit(-1),
    aboveAll: sql.lit(Number.MAX_SAFE_INTEGER),
  }),
);

/** Due date of the milestone. index: milestones primary key */
const milestoneDueOrder = memoizeByTables(
  ({ table }: IssuableTables): ComputedOrder => ({
    value: sql`(select milestone.due_date from milestones as milestone where milestone.id = ${sql.ref(`${table}.milestone_id`)})`,
    belowAll: sql.lit(''),
    aboveAll: sql.lit('9999-99'),
  }),
);

/** Orders that are computed per row. `priority` sorts by the due date of the milestone, then by label priority. */
type ComputedOrderName = 'milestone_due' | 'label_priority' | 'priority';

/** Returns whether the order is computed per row. No index has such an order. */
export const isComputedOrder = (order: string): order is ComputedOrderName =>
  order === 'milestone_due' || order === 'label_priority' || order === 'priority';

/** Adds a computed order to the query. Ties remain unsorted. */
export function applyComputedOrder<Table extends IssuableTables['table']>(
  query: SelectQueryBuilder<Schema, Table, { id: number }>,
  tables: IssuableTables,
  order: ComputedOrderName,
  direction: Direction,
) {
  if (order === 'label_priority') return orderComputedNullsLast(query, labelPriorityOrder(tables), direction);
  const queryByMilestone = orderComputedNullsLast(query, milestoneDueOrder(tables), direction);
  return order === 'milestone_due'
    ? queryByMilestone
    : orderComputedNullsLast(queryByMilestone, labelPriorityOrder(tables), direction);
}
