import { type AliasedRawBuilder, sql } from 'kysely';
import type { RowParameters } from './prepare.ts';

/**
 * Builds a derived table named `given` from the rows of `prepareForRows`, to join other tables with them. `types` is needed, because
 * parameters in VALUES have no types.
 */
export function buildParameterTable<Row extends object>(
  rows: RowParameters<Row>,
  types: { readonly [Column in keyof Row]: 'bigint' | 'text' },
): AliasedRawBuilder<Row, 'given'> {
  const columns = Object.entries(types) as [keyof Row & string, string][];
  const valueRows = rows.map((row) => {
    const cells = columns.map(([name, type]) => sql`cast(${row[name]} as ${sql.raw(type)})`);
    return sql`(${sql.join(cells)})`;
  });
  // Both engines name the columns of VALUES column1, column2...
  const namedColumns = columns.map(([name], index) => sql`${sql.ref(`column${index + 1}`)} as ${sql.ref(name)}`);
  return sql<Row>`(select ${sql.join(namedColumns)} from (values ${sql.join(valueRows)}) as cells)`.as<'given'>(
    sql`given`,
  );
}
