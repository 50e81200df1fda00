import type { DatabaseSync } from 'node:sqlite';
import { createBoundedCache } from '#runtime/bounded-cache.ts';
import type { Connection } from '../engines/engine.ts';

/** Pseudo table of statements that name no known table: each commit counts as a write to it. */
const ANY_TABLE = '*';

/** Maximum number of statements whose tables are cached. */
const MAX_CACHED_STATEMENTS = 500;
/** Maximum length of a statement whose tables are cached; longer ones are scanned each time. */
const MAX_CACHED_LENGTH = 5_000;

/**
 * Records when this process last wrote each table, so that a commit invalidates only results of the written tables. Commits of
 * other processes are not known here: caches must check for them separately.
 */
export class TableVersions {
  /** Number of commits so far. */
  commitCount = 0;
  readonly #getCatalog: () => TableCatalog | undefined;
  readonly #lastCommitByTable = new Map<string, number>();
  readonly #readTablesBySql = createBoundedCache<readonly string[]>(MAX_CACHED_STATEMENTS);
  readonly #writtenTablesBySql = createBoundedCache<readonly string[]>(MAX_CACHED_STATEMENTS);
  #catalog: TableCatalog | undefined;

  /** `getCatalog` returns the catalog, or undefined while it is unknown. */
  constructor(getCatalog: () => TableCatalog | undefined) {
    this.#getCatalog = getCatalog;
  }

  /** Returns the tables that a statement may read. */
  findReadTables(sql: string): readonly string[] {
    const cachedTables = this.#readTablesBySql.get(sql);
    if (cachedTables !== undefined) return cachedTables;
    const catalog = this.#loadCatalog();
    if (catalog === undefined) return [ANY_TABLE];
    const namedTables = findTableNames(sql, catalog);
    // Results of system catalogs may change with any table.
    const tables = namedTables.length === 0 || /sqlite_|pg_/.test(sql) ? [ANY_TABLE] : namedTables;
    if (sql.length <= MAX_CACHED_LENGTH) this.#readTablesBySql.set(sql, tables);
    return tables;
  }

  /** Returns the tables that a statement may change, also by triggers and foreign keys; null if the catalog is unknown. */
  findChangedTables(sql: string): readonly string[] | null {
    const cachedTables = this.#writtenTablesBySql.get(sql);
    if (cachedTables !== undefined) return cachedTables;
    const catalog = this.#loadCatalog();
    if (catalog === undefined) return null;
    const tables = /^select\b/i.test(sql)
      ? []
      : withDependentTables(findTableNames(sql, catalog), catalog, /\b(delete|replace)\b/i.test(sql));
    if (sql.length <= MAX_CACHED_LENGTH) this.#writtenTablesBySql.set(sql, tables);
    return tables;
  }

  /** Records the end of a transaction that may have changed these tables. After a rollback this only invalidates too much. */
  recordTransactionEnd(tables: ReadonlySet<string>): void {
    if (tables.size === 0) return;
    this.commitCount++;
    for (const table of [...tables, ANY_TABLE]) this.#lastCommitByTable.set(table, this.commitCount);
  }

  /** Returns whether none of these tables has changed since the given number of commits. */
  areUnchangedSince(tables: readonly string[], commits: number): boolean {
    return tables.every((table) => (this.#lastCommitByTable.get(table) ?? 0) <= commits);
  }

  /** Clears the data that depends on the schema. Call it after each schema change. */
  clearCatalog(): void {
    this.#catalog = undefined;
    this.#readTablesBySql.clear();
    this.#writtenTablesBySql.clear();
  }

  #loadCatalog(): TableCatalog | undefined {
    this.#catalog ??= this.#getCatalog();
    return this.#catalog;
  }
}

/** Returns all words that are table names. May include too many, such as a column with the name of a table. */
function findTableNames(sql: string, { tables }: TableCatalog): string[] {
  return [...new Set(sql.match(/\w+/g))].filter((word) => tables.has(word));
}

/** Adds the tables that triggers of these tables write and, for a delete, those whose foreign keys cascade. */
function withDependentTables(
  tables: readonly string[],
  { writtenByTriggers, changedByReferences }: TableCatalog,
  isDelete: boolean,
): readonly string[] {
  const reachedTables = new Set<string>();
  const visitTable = (table: string) => {
    if (reachedTables.has(table)) return;
    reachedTables.add(table);
    writtenByTriggers.get(table)?.forEach(visitTable);
    if (isDelete) changedByReferences.get(table)?.forEach(visitTable);
  };
  tables.forEach(visitTable);
  return [...reachedTables];
}

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
