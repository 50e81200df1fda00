import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import type { Schema } from '#database/database.ts';
import { byKind, type Kind } from '../kind.ts';

/** Orders of lists in which who has nothing to be ordered by comes last, either way (contract/planning.md §3.6). */

type Direction = 'asc' | 'desc';

/**
 * By a column of the thing. The engines disagree on where nulls stand: both have the sign in an index, turned so that it is
 * read one way.
 */
export function lastWithout<Table extends Kind['things']>(
  query: SelectQueryBuilder<Schema, Table, { id: number }>,
  value: RawBuilder<unknown>,
  direction: Direction,
) {
  const sign = direction === 'asc' ? sql`(${value} is null)` : sql`(${value} is not null)`;
  return query.orderBy(sign, direction).orderBy(value, direction);
}

/** What is worked out for each thing, and what stands before and behind all that there is of it. */
export interface Computed {
  readonly of: RawBuilder<unknown>;
  readonly low: RawBuilder<unknown>;
  readonly high: RawBuilder<unknown>;
}

/** By what is worked out, but once: in place of none stands something that comes last. */
export function lastWithoutComputed<Table extends Kind['things']>(
  query: SelectQueryBuilder<Schema, Table, { id: number }>,
  value: Computed,
  direction: Direction,
) {
  const none = direction === 'asc' ? value.high : value.low;
  return query.orderBy(sql`coalesce(${value.of}, ${none})`, direction);
}

/**
 * The least of the priorities that the project has given to the labels of a thing. index: issue_labels_pkey,
 * merge_request_labels_pkey, label_priorities_pkey
 */
export const labelPriority = byKind(
  (kind: Kind): Computed => ({
    of: sql`(select min(given.priority) from ${sql.table(kind.labels)} as worn
  inner join label_priorities as given on given.label_id = worn.label_id
  where ${sql.ref(`worn.${kind.id}`)} = ${sql.ref(`${kind.things}.id`)} and given.project_id = ${sql.ref(`${kind.things}.project_id`)})`,
    low: sql.lit(-1),
    high: sql.lit(Number.MAX_SAFE_INTEGER),
  }),
);
