import type { ColumnKind, CopiedTable, Row } from './engine.ts';

/** What an engine's catalogue says of its tables, in the form in which both are copied. */

/** Of one column; `place` is that in the primary key, null outside of it. */
interface ColumnFound extends Row {
  readonly table: unknown;
  readonly column: unknown;
  readonly type: unknown;
  readonly place: unknown;
}

interface Catalogue {
  /** In the order of their tables, and of their places there. */
  readonly columns: readonly Row[];
  /** The kinds of the engine's types. */
  readonly kinds: Readonly<Record<string, ColumnKind>>;
  /** The last ids that tables have given. */
  readonly lastIds: ReadonlyMap<string, number | null>;
}

/** Throws where a column is of a type that the other engine does not know. */
export function copiedTables({ columns, kinds, lastIds }: Catalogue): CopiedTable[] {
  const kindOf = ({ table, column, type }: ColumnFound): ColumnKind => {
    const kind = kinds[String(type)];
    if (kind === undefined) throw new Error(`${table}.${column} is of a type that has no neutral form: ${type}`);
    return kind;
  };
  return [...Map.groupBy(columns as readonly ColumnFound[], ({ table }) => String(table))].map(([name, found]) => ({
    name,
    columns: found.map((column) => ({ name: String(column.column), kind: kindOf(column) })),
    key: found
      .filter(({ place }) => place !== null)
      .sort((a, b) => Number(a.place) - Number(b.place))
      .map(({ column }) => String(column)),
    lastId: lastIds.get(name) ?? null,
  }));
}
