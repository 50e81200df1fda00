import { createBoundedCache } from '#runtime/bounded-cache.ts';
import type { TableCatalog } from './table-catalog.ts';

/** Stands for all tables: a statement that names no known table may change with each commit. */
const ANY_TABLE = '*';

/** Maximum number and length of statement texts whose tables are cached; longer texts are scanned each time. */
const MAX_CACHED_STATEMENTS = 500;
const MAX_CACHED_LENGTH = 5_000;

/**
 * Records when this process last wrote each table, so that a commit invalidates only results of the written tables. Commits of
 * other processes are not known here: caches must check for them separately.
 */
export class TableVersions {
  /** Number of commits so far. */
  commits = 0;
  readonly #getCatalog: () => TableCatalog | undefined;
  readonly #lastCommitByTable = new Map<string, number>();
  readonly #readTablesBySql = createBoundedCache<readonly string[]>(MAX_CACHED_STATEMENTS);
  readonly #writtenTablesBySql = createBoundedCache<readonly string[]>(MAX_CACHED_STATEMENTS);
  #tables: TableCatalog | undefined;

  /** `getCatalog` returns the catalog, or undefined while it is unknown. */
  constructor(getCatalog: () => TableCatalog | undefined) {
    this.#getCatalog = getCatalog;
  }

  /** Returns the tables that a statement may read. */
  tablesReadBy(sql: string): readonly string[] {
    const cachedTables = this.#readTablesBySql.get(sql);
    if (cachedTables !== undefined) return cachedTables;
    const catalog = this.#loadCatalog();
    if (catalog === undefined) return [ANY_TABLE];
    const namedTables = findTableNames(sql, catalog);
    const tables = namedTables.length === 0 || /sqlite_|pg_/.test(sql) ? [ANY_TABLE] : namedTables;
    if (sql.length <= MAX_CACHED_LENGTH) this.#readTablesBySql.set(sql, tables);
    return tables;
  }

  /** Returns the tables that a statement may change, including triggers and foreign keys; null if unknown. */
  tablesChangedBy(sql: string): readonly string[] | null {
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

  /** Records the end of a transaction that may have changed these tables. */
  recordCommit(tables: ReadonlySet<string>): void {
    if (tables.size === 0) return;
    this.commits++;
    for (const table of [...tables, ANY_TABLE]) this.#lastCommitByTable.set(table, this.commits);
  }

  /** Returns whether none of these tables has changed since the given number of commits. */
  areUnchangedSince(tables: readonly string[], commits: number): boolean {
    return tables.every((table) => (this.#lastCommitByTable.get(table) ?? 0) <= commits);
  }

  schemaChanged(): void {
    this.#tables = undefined;
    this.#readTablesBySql.clear();
    this.#writtenTablesBySql.clear();
  }

  #loadCatalog(): TableCatalog | undefined {
    this.#tables ??= this.#getCatalog();
    return this.#tables;
  }
}

/** Returns all words that are table names. May include too many, such as a column with the name of a table. */
function findTableNames(sql: string, { tables }: TableCatalog): string[] {
  return [...new Set(sql.match(/\w+/g))].filter((word) => tables.has(word));
}

function withDependentTables(
  tables: readonly string[],
  { writtenByTriggers: triggered, changedByReferences: referring }: TableCatalog,
  isDelete: boolean,
): readonly string[] {
  const reachedTables = new Set<string>();
  const visitTable = (table: string) => {
    if (reachedTables.has(table)) return;
    reachedTables.add(table);
    triggered.get(table)?.forEach(visitTable);
    if (isDelete) referring.get(table)?.forEach(visitTable);
  };
  tables.forEach(visitTable);
  return [...reachedTables];
}
