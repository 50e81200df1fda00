import type { DatabaseSync } from 'node:sqlite';
import { keptAtMost } from '../kept.ts';

/** Stands for all tables: what reads none that is known may change with every commit. */
const ANY = '*';

/** Texts of statements whose tables are known; longer ones are looked through each time. */
const TEXTS = 500;
const LONGEST = 5_000;

/**
 * When each table of an embedded database was last written by this process, so that what was read of others is as true as
 * before its commit. Commits of other processes are nobody's here: whoever keeps what was read has to ask for them.
 */
export class TableVersions {
  /** How many commits there were. */
  commits = 0;
  readonly #database: DatabaseSync;
  readonly #changed = new Map<string, number>();
  readonly #read = keptAtMost<readonly string[]>(TEXTS);
  readonly #written = keptAtMost<readonly string[]>(TEXTS);
  #schema: Schema | undefined;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** The tables that a statement may read. */
  readBy(sql: string): readonly string[] {
    const known = this.#read.get(sql);
    if (known !== undefined) return known;
    const named = this.#namedIn(sql);
    const tables = named.length === 0 || /sqlite_/.test(sql) ? [ANY] : named;
    if (sql.length <= LONGEST) this.#read.set(sql, tables);
    return tables;
  }

  /** The tables that a statement may change: what it names, and what follows from that by triggers and references. */
  changedBy(sql: string): readonly string[] {
    const known = this.#written.get(sql);
    if (known !== undefined) return known;
    const tables = /^select\b/i.test(sql) ? [] : this.#following(this.#namedIn(sql), /\b(delete|replace)\b/i.test(sql));
    if (sql.length <= LONGEST) this.#written.set(sql, tables);
    return tables;
  }

  /** A transaction that may have changed these tables is over. */
  committed(tables: ReadonlySet<string>): void {
    if (tables.size === 0) return;
    this.commits++;
    for (const table of [...tables, ANY]) this.#changed.set(table, this.commits);
  }

  /** Are all of these as they were after so many commits? */
  unchanged(tables: readonly string[], commits: number): boolean {
    return tables.every((table) => (this.#changed.get(table) ?? 0) <= commits);
  }

  schemaChanged(): void {
    this.#schema = undefined;
    this.#read.clear();
    this.#written.clear();
  }

  /** Every word that is the name of a table: rather one too many, such as a column that is called like one. */
  #namedIn(sql: string): string[] {
    const { tables } = this.#tables();
    return [...new Set(sql.match(/\w+/g))].filter((word) => tables.has(word));
  }

  #following(tables: readonly string[], deletes: boolean): readonly string[] {
    const schema = this.#tables();
    const reached = new Set<string>();
    const reach = (table: string) => {
      if (reached.has(table)) return;
      reached.add(table);
      schema.triggered.get(table)?.forEach(reach);
      if (deletes) schema.referring.get(table)?.forEach(reach);
    };
    tables.forEach(reach);
    return [...reached];
  }

  #tables(): Schema {
    this.#schema ??= readSchema(this.#database);
    return this.#schema;
  }
}

interface Schema {
  readonly tables: ReadonlySet<string>;
  /** Table -> those that its triggers write. */
  readonly triggered: ReadonlyMap<string, readonly string[]>;
  /** Table -> those whose rows go, or refer to nothing, with its rows. */
  readonly referring: ReadonlyMap<string, readonly string[]>;
}

function readSchema(database: DatabaseSync): Schema {
  const entries = database.prepare('select type, name, tbl_name, sql from sqlite_schema').all();
  const tables = new Set(entries.filter(({ type }) => type === 'table').map(({ name }) => String(name)));
  const triggered = new Map<string, string[]>();
  for (const { type, tbl_name, sql } of entries) {
    if (type !== 'trigger') continue;
    const named = (String(sql).match(/\w+/g) ?? []).filter((word) => tables.has(word));
    triggered.set(String(tbl_name), [...(triggered.get(String(tbl_name)) ?? []), ...named]);
  }
  const references = database.prepare(
    `select t.name as child, f."table" as parent from sqlite_schema t, pragma_foreign_key_list(t.name) f
     where t.type = 'table' and (f.on_delete <> 'NO ACTION' or f.on_update <> 'NO ACTION')`,
  );
  const referring = new Map<string, string[]>();
  for (const { child, parent } of references.all()) {
    referring.set(String(parent), [...(referring.get(String(parent)) ?? []), String(child)]);
  }
  return { tables, triggered, referring };
}
