import { type Clock, timestamp } from '#runtime/clock.ts';
import type { Database, Transaction } from './database.ts';
import type { BackupOperations, CellValues, ForeignKey, Row, TableDefinition } from './engines/engine.ts';
import { applyMigrations } from './migrate.ts';
import type { Migration } from './migrations/migration.ts';
import { createHandles, getSession } from './sessions.ts';

export type { CellValues, ForeignKey, TableDefinition } from './engines/engine.ts';

/** A consistent snapshot of the whole database. Close it soon: on SQLite the write-ahead log grows while it is open. */
export interface DatabaseSnapshot {
  /** All tables except the list of migrations, by name. */
  readonly tables: readonly TableDefinition[];
  /** Names of the applied migrations, in their order. */
  readonly migrations: readonly string[];
  /** Lists the foreign keys of all tables. */
  listForeignKeys(): Promise<readonly ForeignKey[]>;
  /** Returns problems that the engine finds in its files; a named index is repaired by rebuilding it. */
  checkIntegrity(): ReturnType<BackupOperations['checkIntegrity']>;
  /** Runs a statement without parameters; for small results only. */
  query(sql: string): Promise<Row[]>;
  /** Streams all rows of a table by primary key, in the same order on both engines. */
  streamRows(table: TableDefinition): AsyncIterable<readonly CellValues[]>;
  close(): Promise<void>;
}

const MIGRATIONS = 'schema_migrations';

/** Opens a snapshot of the database, also while servers write. */
export async function openSnapshot(database: Database): Promise<DatabaseSnapshot> {
  const { backupOperations: operations } = getSession(database.reader).engine;
  const connection = await operations.openSnapshot();
  const query = async (sql: string) => (await connection.execute({ sql, parameters: [] })).rows;
  try {
    const allTables = await operations.listTables(connection);
    const appliedMigrations = allTables.some(({ name }) => name === MIGRATIONS)
      ? await query(`select name from ${MIGRATIONS} order by name`)
      : [];
    return {
      tables: allTables.filter(({ name }) => name !== MIGRATIONS),
      migrations: appliedMigrations.map(({ name }) => String(name)),
      query,
      listForeignKeys: () => operations.listForeignKeys(connection),
      checkIntegrity: () => operations.checkIntegrity(connection),
      streamRows: ({ name, columns, key }) => {
        // Without a primary key, all columns together give the same order on both engines.
        const sortColumns = key.length > 0 ? key : columns.map((column) => column.name);
        const sortOrder = sortColumns.map((column) => `${quoteIdentifier(column)} nulls first`).join(', ');
        const names = columns.map((column) => quoteIdentifier(column.name)).join(', ');
        const kinds = columns.map(({ kind }) => kind);
        return connection.stream(`select ${names} from ${quoteIdentifier(name)} order by ${sortOrder}`, kinds);
      },
      close: () => connection.close(),
    };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** Blocks ref updates of all processes until the returned function is called. Hold the lock only briefly. */
export function lockRefs(database: Database): Promise<() => Promise<void>> {
  return getSession(database.reader).engine.backupOperations.lockRefs();
}

/** An empty database that is filled in one transaction. */
export interface RestoreTarget {
  readonly tables: readonly TableDefinition[];
  insert(table: TableDefinition, rows: readonly CellValues[]): Promise<void>;
  /** Sets the last assigned id of a table; new rows continue from it. */
  setLastId(table: string, lastId: number): Promise<void>;
}

/**
 * Runs these migrations on an empty database and lets `work` fill its tables. Foreign keys are checked at the end; triggers are
 * suspended, because the rows that they would write are restored too.
 */
export async function restoreDatabase(
  database: Database,
  clock: Clock,
  migrations: readonly Migration[],
  work: (target: RestoreTarget) => Promise<void>,
): Promise<void> {
  const { engine } = getSession(database.reader);
  const { backupOperations: operations } = engine;
  const transaction = await operations.beginRestore();
  try {
    const tx: Transaction = createHandles(engine, clock).createTransaction(transaction, {
      now: timestamp(clock),
      afterCommit: () => {},
    });
    await applyMigrations(tx, migrations);
    const tables = (await operations.listTables(transaction)).filter(({ name }) => name !== MIGRATIONS);
    const restoreConstraints = await operations.suspendConstraints(transaction);
    await work({
      tables,
      insert: (table, rows) => operations.insert(transaction, table, rows),
      setLastId: (table, lastId) => operations.setLastId(transaction, table, lastId),
    });
    await restoreConstraints();
  } catch (error) {
    await transaction.rollback().catch(() => {});
    throw error;
  }
  await transaction.commit();
  engine.clearSchemaCaches();
}

/** Sets the last assigned id of a table; new rows continue from it. */
export function setLastId(tx: Transaction, table: string, lastId: number): Promise<void> {
  const { engine, connection } = getSession(tx);
  return engine.backupOperations.setLastId(connection, table, lastId);
}

/** Quotes the name of a table or column for a statement. Throws for any other text. */
export function quoteIdentifier(name: string): string {
  if (!/^\w+$/.test(name)) throw new Error(`${JSON.stringify(name)} is not a valid name of a table or column`);
  return `"${name}"`;
}
