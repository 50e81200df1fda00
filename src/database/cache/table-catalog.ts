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

function buildCatalog({ tables: tableNames, triggers, references }: CatalogRows): TableCatalog {
  const tables = new Set(tableNames);
  const writtenByTriggers = new Map<string, string[]>();
  for (const { table, text } of triggers) {
    // May include too many tables, which only invalidates more cached results.
    const namedTables = (text.match(/\w+/g) ?? []).filter((word) => tables.has(word));
    writtenByTriggers.set(table, [...(writtenByTriggers.get(table) ?? []), ...namedTables]);
  }
  const changedByReferences = new Map<string, string[]>();
  for (const { child, parent } of references)
    changedByReferences.set(parent, [...(changedByReferences.get(parent) ?? []), child]);
  return { tables, writtenByTriggers, changedByReferences };
}

/** Loads the catalog of a SQLite database. */
export function loadSqliteCatalog(database: DatabaseSync): TableCatalog {
  const entries = database.prepare('select type, name, tbl_name, sql from sqlite_schema').all();
  const references = database.prepare(
    `select t.name as child, f."table" as parent from sqlite_schema t, pragma_foreign_key_list(t.name) f
     where t.type = 'table' and (f.on_delete <> 'NO ACTION' or f.on_update <> 'NO ACTION')`,
  );
  const entriesOfType = (type: string) => entries.filter((entry) => entry.type === type);
  return buildCatalog({
    tables: entriesOfType('table').map(({ name }) => String(name)),
    triggers: entriesOfType('trigger').map(({ tbl_name, sql }) => ({ table: String(tbl_name), text: String(sql) })),
    references: references.all().map(({ child, parent }) => ({ child: String(child), parent: String(parent) })),
  });
}

/** Lists tables, triggers and foreign keys in one query. `detail` is the trigger's function body or the referencing table. */
const POSTGRES_CATALOG_QUERY = {
  sql: `select 'table' as kind, relname::text as name, '' as detail from pg_class
      where relkind in ('r', 'p', 'v', 'm') and relnamespace = to_regnamespace(current_schema()::text)
    union all select 'trigger', tgrelid::regclass::text, prosrc from pg_trigger join pg_proc on pg_proc.oid = tgfoid
      where not tgisinternal
    union all select 'reference', confrelid::regclass::text, conrelid::regclass::text from pg_constraint
      where contype = 'f' and (confdeltype not in ('a', 'r') or confupdtype not in ('a', 'r'))`,
  parameters: [],
};

/** Loads the catalog of the current PostgreSQL schema. */
export async function loadPostgresCatalog({ execute }: Connection): Promise<TableCatalog> {
  const rows = (await execute(POSTGRES_CATALOG_QUERY)).rows as { kind: string; name: string; detail: string }[];
  const rowsOfKind = (kind: string) => rows.filter((row) => row.kind === kind);
  return buildCatalog({
    tables: rowsOfKind('table').map(({ name }) => name),
    triggers: rowsOfKind('trigger').map(({ name, detail }) => ({ table: name, text: detail })),
    references: rowsOfKind('reference').map(({ name, detail }) => ({ parent: name, child: detail })),
  });
}
