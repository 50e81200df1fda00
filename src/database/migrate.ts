import { sql } from 'kysely';
import type { Database, Reader, Transaction } from './database.ts';
import { isMissingTableError, lockSchema } from './dialect.ts';
import { migration as baseline } from './migrations/0001_baseline.ts';
import { migrations as allMigrations } from './migrations/index.ts';
import type { Migration, MigrationDb } from './migrations/migration.ts';
import { getSession } from './sessions.ts';

/**
 * Runs the pending migrations and returns their names. Several processes may call it at the same time; without pending
 * migrations it is one query. Throws DatabaseTooNew or DatabaseTooOld if the database has unknown migrations. `log`
 * receives each migration after the commit.
 */
export async function migrate(
  database: Database,
  migrations = allMigrations,
  log: MigrationLog = () => {},
): Promise<string[]> {
  if ((await listPendingMigrations(database.reader, migrations)).length === 0) return [];
  let durations: readonly MigrationDuration[] = [];
  const appliedNames = await database.transaction(
    async (tx) => {
      await lockMigrations(tx);
      // Another process may have migrated before this one got the lock.
      const pendingMigrations = await listPendingMigrations(tx, migrations);
      durations = await runMigrations(tx, pendingMigrations);
      return pendingMigrations.map(({ name }) => name);
    },
    { isolation: 'read committed' },
  );
  getSession(database.reader).engine.clearSchemaCaches();
  for (const duration of durations) log(duration, 'A migration of the database was run');
  return appliedNames;
}

/** Runs these migrations on an empty database, in the caller's transaction. */
export async function applyMigrations(tx: Transaction, migrations: readonly Migration[]): Promise<void> {
  await lockMigrations(tx);
  await runMigrations(tx, migrations);
}

interface MigrationDuration {
  readonly migration: string;
  readonly milliseconds: number;
}

type MigrationLog = (duration: MigrationDuration, message: string) => void;

async function runMigrations(tx: Transaction, migrations: readonly Migration[]): Promise<MigrationDuration[]> {
  const durations: MigrationDuration[] = [];
  for (const migration of migrations) {
    // A migration knows the tables of its time, not those of the current schema.
    const startedAt = performance.now();
    await migration.up(tx as unknown as MigrationDb);
    await recordMigration(tx, migration);
    durations.push({ migration: migration.name, milliseconds: Math.round(performance.now() - startedAt) });
  }
  return durations;
}

async function recordMigration(tx: Transaction, { name }: Migration): Promise<void> {
  await sql`insert into schema_migrations (name, applied_at) values (${name}, ${tx.now})`.execute(tx);
}

/**
 * Lists the migrations that are not applied yet. Throws DatabaseTooNew or DatabaseTooOld if migrations are applied that this
 * version does not have.
 */
export async function listPendingMigrations(
  db: Reader,
  migrations: readonly Migration[] = allMigrations,
): Promise<readonly Migration[]> {
  const appliedNames = await listAppliedMigrations(db);
  const mismatch = findVersionMismatch('The database', appliedNames, migrations);
  if (mismatch !== null)
    throw Object.assign(new Error(mismatch.message), {
      name: mismatch.isNewer ? 'DatabaseTooNew' : 'DatabaseTooOld',
    });
  return migrations.filter(({ name }) => !appliedNames.includes(name));
}

/** Why this version cannot use a database or an archive. */
interface VersionMismatch {
  readonly isNewer: boolean;
  readonly message: string;
}

/**
 * Returns why this version cannot use `subject`, a database or an archive in which migrations with these names were applied;
 * null if it can.
 */
export function findVersionMismatch(
  subject: string,
  appliedNames: readonly string[],
  migrations: readonly Migration[] = allMigrations,
): VersionMismatch | null {
  const unknownNames = appliedNames.filter((applied) => !migrations.some(({ name }) => name === applied));
  if (unknownNames.length === 0) return null;
  // Versions before 1.0.0 had other migrations.
  if (!appliedNames.includes(baseline.name)) {
    const advice = 'there is no upgrade from it. Use an empty data directory and an empty database';
    return { isNewer: false, message: `${subject} was created by a version of Hearth before 1.0.0, and ${advice}.` };
  }
  const message = `${subject} was created by a newer version of Hearth: it has ${unknownNames.join(', ')}. Use that version or a later one.`;
  return { isNewer: true, message };
}

/** Lists the names of the applied migrations; none for an empty database. */
export async function listAppliedMigrations(db: Reader): Promise<string[]> {
  try {
    const { rows } = await sql<{ name: string }>`select name from schema_migrations`.execute(db);
    return rows.map(({ name }) => name);
  } catch (error) {
    if (isMissingTableError(error)) return [];
    throw error;
  }
}

/** Locks the schema and creates the table of applied migrations if it does not exist. */
async function lockMigrations(tx: Transaction): Promise<void> {
  await lockSchema(tx);
  await sql`create table if not exists schema_migrations (name text primary key, applied_at text not null)`.execute(tx);
}
