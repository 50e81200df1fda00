import type { ColumnKind, Connection, ForeignKey, Row, TableDefinition } from './engine.ts';

/** Returns the rows of a statement. */
export async function query(connection: Connection, sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
  return (await connection.execute({ sql, parameters })).rows;
}

/** A row of an engine's catalog: one column, with its position in the primary key (null if it is not part of the key). */
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

/** Converts catalog rows, one per column of a foreign key in their order, to foreign keys. `key` differs between those of a table. */
export function buildForeignKeys(rows: readonly Row[]): ForeignKey[] {
  return [...Map.groupBy(rows, ({ table, key }) => `${table} ${key}`).values()].map((keyColumns) => {
    const { table, parent, on_delete } = keyColumns[0]!;
    return {
      table: String(table),
      columns: keyColumns.map(({ column }) => String(column)),
      parent: String(parent),
      parentColumns: keyColumns.map(({ parent_column }) => String(parent_column)),
      onDelete: on_delete === 'cascade' || on_delete === 'set null' ? on_delete : 'nothing',
    };
  });
}
