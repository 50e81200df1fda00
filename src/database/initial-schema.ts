import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import type { Reader, Transaction } from './database.ts';
import { engineOf } from './dialect.ts';

/**
 * What the migrations make of a new embedded database, as the statements that make it at once. To go through all that a
 * table has been takes 280 ms of a server's first start, which for a server that is thrown away is its only one.
 */
export interface AllTables {
  /** The names of the migrations that it is made by. */
  readonly migrations: readonly string[];
  readonly statements: readonly string[];
}

/** The bundle has it beside itself; the sources go through the migrations. */
export const ALL_TABLES = join(import.meta.dirname, 'tables.json');

/** Those of these migrations, and of no others; null: there is none for them, or for this engine. */
export async function allTablesOf(db: Reader, migrations: readonly string[], file: string): Promise<AllTables | null> {
  if (engineOf(db) !== 'sqlite') return null;
  const made = await readFile(file, 'utf8')
    .then(JSON.parse)
    .catch(() => null);
  return isDeepStrictEqual(made?.migrations, migrations) ? made : null;
}

/** Makes them in a database that has no table. */
export async function makeAllTables(tx: Transaction, { statements }: AllTables): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(tx);
}

/** Reads them from an embedded database that has just been migrated. Throws if a migration has put rows into one. */
export async function readAllTables(db: Reader, migrations: readonly string[]): Promise<AllTables> {
  const { rows } = await sql<{
    name: string;
    type: string;
    sql: string;
  }>`select name, type, sql from sqlite_schema where sql is not null and name not glob 'sqlite_*' order by rowid`.execute(
    db,
  );
  // A virtual table makes those that it keeps its own things in.
  const virtual = rows.filter(({ sql: text }) => /^create virtual table /i.test(text)).map(({ name }) => `${name}_`);
  const own = rows.filter(({ name, type }) => type !== 'table' || !virtual.some((prefix) => name.startsWith(prefix)));
  const made = own.filter(({ name }) => name !== RECORD);
  for (const { name } of made.filter(({ type }) => type === 'table')) await refuseRows(db, name);
  return { migrations, statements: made.map(({ sql: text }) => text) };
}

/** Where it is recorded which migrations have run. */
const RECORD = 'schema_migrations';

async function refuseRows(db: Reader, table: string): Promise<void> {
  const { rows } = await sql`select 1 from ${sql.table(table)} limit 1`.execute(db);
  if (rows.length > 0) throw new Error(`A migration puts rows into ${table} of a new database`);
}
