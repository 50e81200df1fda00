import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import type { Reader, Transaction } from './database.ts';
import { getEngineName } from './dialect.ts';

/**
 * The schema of a new SQLite database after all migrations, as statements. Running the migrations takes 280 ms of the first
 * start, which matters for short-lived servers.
 */
export interface InitialSchema {
  /** The names of the migrations that produce this schema. */
  readonly migrations: readonly string[];
  readonly statements: readonly string[];
}

/** File of the initial schema, next to the bundle. The sources have no such file and run the migrations. */
export const INITIAL_SCHEMA_FILE = join(import.meta.dirname, 'tables.json');

/** Loads the initial schema of exactly these migrations. Null: the file has other migrations or is missing, or for PostgreSQL. */
export async function loadInitialSchema(
  db: Reader,
  migrations: readonly string[],
  file: string,
): Promise<InitialSchema | null> {
  if (getEngineName(db) !== 'sqlite') return null;
  const schemaFile = await readFile(file, 'utf8')
    .then(JSON.parse)
    .catch(() => null);
  return isDeepStrictEqual(schemaFile?.migrations, migrations) ? schemaFile : null;
}

/** Creates the initial schema in an empty database. */
export async function createInitialSchema(tx: Transaction, { statements }: InitialSchema): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(tx);
}

/** Dumps the schema of a SQLite database that was just migrated. Throws if a migration has inserted rows. */
export async function dumpInitialSchema(db: Reader, migrations: readonly string[]): Promise<InitialSchema> {
  const { rows } = await sql<{
    name: string;
    type: string;
    sql: string;
  }>`select name, type, sql from sqlite_schema where sql is not null and name not glob 'sqlite_*' order by rowid`.execute(
    db,
  );
  // A virtual table creates its shadow tables itself.
  const shadowTablePrefixes = rows
    .filter(({ sql: text }) => /^create virtual table /i.test(text))
    .map(({ name }) => `${name}_`);
  const explicitObjects = rows.filter(
    ({ name, type }) => type !== 'table' || !shadowTablePrefixes.some((prefix) => name.startsWith(prefix)),
  );
  const schemaObjects = explicitObjects.filter(({ name }) => name !== MIGRATIONS_TABLE);
  for (const { name } of schemaObjects.filter(({ type }) => type === 'table')) await requireEmptyTable(db, name);
  return { migrations, statements: schemaObjects.map(({ sql: text }) => text) };
}

/** The table that lists the applied migrations. */
const MIGRATIONS_TABLE = 'schema_migrations';

async function requireEmptyTable(db: Reader, table: string): Promise<void> {
  const { rows } = await sql`select 1 from ${sql.table(table)} limit 1`.execute(db);
  if (rows.length > 0)
    throw new Error(
      `A migration inserts rows into ${table} of a new database, which the initial schema cannot contain`,
    );
}
