import { type AliasedRawBuilder, sql } from 'kysely';
import type { RowsOf } from './prepare.ts';

/**
 * The rows that a statement is given (`prepareForRows`), as a table `given` with their columns: to look something up, or to
 * change something, for each of them. The types are said, because a VALUES of parameters has none.
 */
export function givenRows<Row extends object>(
  rows: RowsOf<Row>,
  types: { readonly [Column in keyof Row]: 'bigint' | 'text' },
): AliasedRawBuilder<Row, 'given'> {
  const columns = Object.entries(types) as [keyof Row & string, string][];
  const given = rows.map((row) => {
    const cells = columns.map(([name, type]) => sql`cast(${row[name]} as ${sql.raw(type)})`);
    return sql`(${sql.join(cells)})`;
  });
  // Both engines call them so.
  const named = columns.map(([name], index) => sql`${sql.ref(`column${index + 1}`)} as ${sql.ref(name)}`);
  return sql<Row>`(select ${sql.join(named)} from (values ${sql.join(given)}) as cells)`.as<'given'>(sql`given`);
}
