import type { ColumnKind, CopiedTable, Row } from './engine.ts';

/** One column; `place` is its position in the primary key, or null. */
interface CatalogColumn extends Row {
  readonly table: unknown;
  readonly column: unknown;
  readonly type: unknown;
  readonly place: unknown;
}

interface CatalogColumns {
  /** All columns, ordered by table and position. */
  readonly columns: readonly Row[];
  /** Maps the engine's column types to kinds. */
  readonly kinds: Readonly<Record<string, ColumnKind>>;
  /** Last assigned id by table. */
  readonly lastIds: ReadonlyMap<string, number | null>;
}

/** Converts the catalog of an engine to the common form. Throws for a column type that the other engine does not have. */
export function buildCopiedTables({ columns, kinds, lastIds }: CatalogColumns): CopiedTable[] {
  const kindOf = ({ table, column, type }: CatalogColumn): ColumnKind => {
    const kind = kinds[String(type)];
    if (kind === undefined)
      throw new Error(`${table}.${column} has the type ${type}, which cannot be copied to the other engine`);
    return kind;
  };
  return [...Map.groupBy(columns as readonly CatalogColumn[], ({ table }) => String(table))].map(
    ([name, tableColumns]) => ({
      name,
      columns: tableColumns.map((column) => ({ name: String(column.column), kind: kindOf(column) })),
      key: tableColumns
        .filter(({ place }) => place !== null)
        .sort((a, b) => Number(a.place) - Number(b.place))
        .map(({ column }) => String(column)),
      lastId: lastIds.get(name) ?? null,
    }),
  );
}
