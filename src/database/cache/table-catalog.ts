import type { DatabaseSync } from 'node:sqlite';
import type { Connection } from '../engines/engine.ts';

/** The tables and their dependencies, read from the database, so that no list needs maintenance. */
export interface TableCatalog {
  readonly tables: ReadonlySet<string>;
  /** Table -> tables that its triggers write. */
  readonly writtenByTriggers: ReadonlyMap<string, readonly string[]>;
  /** Table -> tables with a foreign key to it that cascades or is set to null. */
  readonly changedByReferences: ReadonlyMap<string, readonly string[]>;
}

interface CatalogRows {
  readonly tables: readonly string[];
  /** The source texts of the triggers, with their tables. */
  readonly triggers: readonly { readonly table: string; readonly text: string }[];
  readonly references: readonly { readonly child: string; readonly parent: string }[];
}

function buildCatalog({ tables: all, triggers, references }: CatalogRows): TableCatalog {
  const tables = new Set(all);
  const triggered = new Map<string, string[]>();
  for (const { table, text } of triggers) {
    const namedTables = (text.match(/\w+/g) ?? []).filter((word) => tables.has(word));
    triggered.set(table, [...(triggered.get(table) ?? []), ...namedTables]);
  }
  const referring = new Map<string, string[]>();
  for (const { child, parent } of references) referring.set(parent, [...(referring.get(parent) ?? []), child]);
  return { tables, writtenByTriggers: triggered, changedByReferences: referring };
}

export function loadSqliteCatalog(database: DatabaseSync): TableCatalog {
  const entries = database.prepare('select type, name, tbl_name, sql from sqlite_schema').all();
  const references = database.prepare(
    `select t.name as child, f."table" as parent from sqlite_schema t, pragma_foreign_key_list(t.name) f
     where t.type = 'table' and (f.on_delete <> 'NO ACTION' or f.on_update <> 'NO ACTION')`,
  );
  const entriesOfType = (kind: string) => entries.filter(({ type }) => type === kind);
  return buildCatalog({
    tables: entriesOfType('table').map(({ name }) => String(name)),
    triggers: entriesOfType('trigger').map(({ tbl_name, sql }) => ({ table: String(tbl_name), text: String(sql) })),
    references: references.all() as unknown as CatalogRows['references'],
  });
}

/** One query; its columns are the kind, the table, and the trigger source or referencing table. */
const POSTGRES_CATALOG_QUERY = {
  sql: `select 'table' as kind, relname::text as name, '' as other from pg_class
      where relkind in ('r', 'p', 'v', 'm') and relnamespace = to_regnamespace(current_schema()::text)
    union all select 'trigger', tgrelid::regclass::text, prosrc from pg_trigger join pg_proc on pg_proc.oid = tgfoid
      where not tgisinternal
    union all select 'reference', confrelid::regclass::text, conrelid::regclass::text from pg_constraint
      where contype = 'f' and (confdeltype not in ('a', 'r') or confupdtype not in ('a', 'r'))`,
  parameters: [],
};

export async function loadPostgresCatalog({ execute }: Connection): Promise<TableCatalog> {
  const rows = (await execute(POSTGRES_CATALOG_QUERY)).rows as { kind: string; name: string; other: string }[];
  const rowsOfKind = (wantedKind: string) => rows.filter(({ kind }) => kind === wantedKind);
  return buildCatalog({
    tables: rowsOfKind('table').map(({ name }) => name),
    triggers: rowsOfKind('trigger').map(({ name, other }) => ({ table: name, text: other })),
    references: rowsOfKind('reference').map(({ name, other }) => ({ parent: name, child: other })),
  });
}
