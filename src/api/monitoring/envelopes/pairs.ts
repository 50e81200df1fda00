import { type Expression, type RawBuilder, sql } from 'kysely';

type Pair = readonly [Expression<number>, Expression<unknown>];

/** Pairs of a number and another value as rows, `column1` and `column2`, for a statement that looks something up for each. */
export function pairs(rows: readonly Pair[], second: 'text' | 'bigint') {
  const values = rows.map(([a, b]) => sql`(cast(${a} as bigint), cast(${b} as ${sql.raw(second)}))`);
  return sql`(values ${sql.join(values)})` as RawBuilder<{ column1: number; column2: never }>;
}
