import type { ColumnKind, Row, TableDefinition } from './engine.ts';

/** A row of an engine's catalog: one column, with its position in the primary key (null if it is no part of the key). */
interface CatalogColumn extends Row {
  readonly table: unknown;
  readonly column: unknown;
  readonly type: unknown;
  readonly key_position: unknown;
}

interface CatalogColumns {
  /** All columns, ordered by table and position. */
  readonly columns: readonly Row[];
  /** Maps the engine's column types to kinds. */
  readonly kinds: Readonly<Record<string, ColumnKind>>;
  /** Last assigned ids by table; null if no id was assigned yet. */
  readonly lastIds: ReadonlyMap<string, number | null>;
}

/** Converts the catalog of an engine to the common form. Throws for a column type that the other engine does not have. */
export function buildTableDefinitions({ columns, kinds, lastIds }: CatalogColumns): TableDefinition[] {
  const toColumnKind = ({ table, column, type }: CatalogColumn): ColumnKind => {
    const kind = kinds[String(type)];
    if (kind === undefined)
      throw new Error(`${table}.${column} has the type ${type}, which cannot be copied to the other engine`);
    return kind;
  };
  return [...Map.groupBy(columns as readonly CatalogColumn[], ({ table }) => String(table))].map(
    ([name, tableColumns]) => ({
      name,
      columns: tableColumns.map((column) => ({ name: String(column.column), kind: toColumnKind(column) })),
      key: tableColumns
        .filter(({ key_position }) => key_position !== null)
        .sort((a, b) => Number(a.key_position) - Number(b.key_position))
        .map(({ column }) => String(column)),
      lastId: lastIds.get(name) ?? null,
    }),
  );
}
