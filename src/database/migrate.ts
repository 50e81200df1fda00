import { sql } from 'kysely';
import type { Database, Reader, Transaction } from './database.ts';
import { type Dialect, dialectOf, lockSchema, tableMissing } from './dialect.ts';
import { ALL_TABLES, type AllTables, allTablesOf, makeAllTables } from './initial-schema.ts';
import { migrations as allMigrations } from './migrations/index.ts';
import type { Migration, MigrationDb } from './migrations/migration.ts';
import { sessionOf } from './sessions.ts';

/**
 * Brings the tables up to date and returns the names of the migrations that ran. Several processes may call it at once;
 * when nothing is due it is one query. A database that knows migrations which this program doesn't is refused. A new one gets
 * what they make at once, where `made` holds that.
 */
export async function migrate(
  database: Database,
  migrations = allMigrations,
  made: string = ALL_TABLES,
): Promise<string[]> {
  const names = (await due(database.reader, migrations)).map(({ name }) => name);
  if (names.length === 0) return [];
  // Read before the transaction, which holds SQL only.
  const atOnce = await allTablesOf(database.reader, names, made);
  const ran = await database.transaction(
    async (tx) => {
      await lockMigrations(tx);
      const missing = await due(tx, migrations);
      if (missing.length === migrations.length && atOnce !== null) await makeAtOnce(tx, missing, atOnce);
      else await runAll(tx, dialectOf(database.engine), missing);
      return missing.map(({ name }) => name);
    },
    { isolation: 'read committed' },
  );
  sessionOf(database.reader).engine.schemaChanged();
  return ran;
}

/** Makes the tables of these migrations in a database that has none, in a transaction of the caller's. */
export async function applyMigrations(
  tx: Transaction,
  dialect: Dialect,
  migrations: readonly Migration[],
): Promise<void> {
  await lockMigrations(tx);
  await runAll(tx, dialect, migrations);
}

async function runAll(tx: Transaction, dialect: Dialect, migrations: readonly Migration[]): Promise<void> {
  for (const migration of migrations) {
    await migration.up(tx as unknown as MigrationDb, dialect);
    await record(tx, migration);
  }
}

async function makeAtOnce(tx: Transaction, migrations: readonly Migration[], tables: AllTables): Promise<void> {
  await makeAllTables(tx, tables);
  for (const migration of migrations) await record(tx, migration);
}

async function record(tx: Transaction, { name }: Migration): Promise<void> {
  await sql`insert into schema_migrations (name, applied_at) values (${name}, ${tx.now})`.execute(tx);
}

async function due(db: Reader, migrations: readonly Migration[]): Promise<readonly Migration[]> {
  const applied = await appliedNames(db);
  const known = new Set(migrations.map(({ name }) => name));
  const unknown = applied.filter((name) => !known.has(name));
  if (unknown.length > 0) {
    const message = `The database was made by a newer version of Hearth: it has ${unknown.join(', ')}`;
    throw Object.assign(new Error(message), { name: 'DatabaseTooNew' });
  }
  return migrations.filter(({ name }) => !applied.includes(name));
}

async function appliedNames(db: Reader): Promise<string[]> {
  try {
    const { rows } = await sql<{ name: string }>`select name from schema_migrations`.execute(db);
    return rows.map(({ name }) => name);
  } catch (error) {
    if (tableMissing(error)) return [];
    throw error;
  }
}

async function lockMigrations(tx: Transaction): Promise<void> {
  await lockSchema(tx);
  await sql`create table if not exists schema_migrations (name text primary key, applied_at text not null)`.execute(tx);
}
