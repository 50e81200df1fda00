import { keptAtMost } from '#runtime/bounded-cache.ts';
import type { TablesKnown } from './table-catalog.ts';

/** Stands for all tables: what reads none that is known may change with every commit. */
const ANY = '*';

/** Texts of statements whose tables are known; longer ones are looked through each time. */
const TEXTS = 500;
const LONGEST = 5_000;

/**
 * When each table was last written by this process, so that what was read of others is as true as before its commit. Commits
 * of other processes are nobody's here: whoever keeps what was read has to ask for them.
 */
export class TableVersions {
  /** How many commits there were. */
  commits = 0;
  readonly #ask: () => TablesKnown | undefined;
  readonly #changed = new Map<string, number>();
  readonly #read = keptAtMost<readonly string[]>(TEXTS);
  readonly #written = keptAtMost<readonly string[]>(TEXTS);
  #tables: TablesKnown | undefined;

  /** `ask`: undefined as long as nobody knows. */
  constructor(ask: () => TablesKnown | undefined) {
    this.#ask = ask;
  }

  /** The tables that a statement may read. */
  readBy(sql: string): readonly string[] {
    const known = this.#read.get(sql);
    if (known !== undefined) return known;
    const there = this.#there();
    if (there === undefined) return [ANY];
    const named = namedIn(sql, there);
    const tables = named.length === 0 || /sqlite_|pg_/.test(sql) ? [ANY] : named;
    if (sql.length <= LONGEST) this.#read.set(sql, tables);
    return tables;
  }

  /** The tables that a statement may change: what it names, and what follows from that by triggers and references; null: nobody knows. */
  changedBy(sql: string): readonly string[] | null {
    const known = this.#written.get(sql);
    if (known !== undefined) return known;
    const there = this.#there();
    if (there === undefined) return null;
    const tables = /^select\b/i.test(sql)
      ? []
      : following(namedIn(sql, there), there, /\b(delete|replace)\b/i.test(sql));
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
    this.#tables = undefined;
    this.#read.clear();
    this.#written.clear();
  }

  #there(): TablesKnown | undefined {
    this.#tables ??= this.#ask();
    return this.#tables;
  }
}

/** Every word that is the name of a table: rather one too many, such as a column that is called like one. */
function namedIn(sql: string, { tables }: TablesKnown): string[] {
  return [...new Set(sql.match(/\w+/g))].filter((word) => tables.has(word));
}

function following(
  named: readonly string[],
  { triggered, referring }: TablesKnown,
  deletes: boolean,
): readonly string[] {
  const reached = new Set<string>();
  const reach = (table: string) => {
    if (reached.has(table)) return;
    reached.add(table);
    triggered.get(table)?.forEach(reach);
    if (deletes) referring.get(table)?.forEach(reach);
  };
  named.forEach(reach);
  return [...reached];
}
