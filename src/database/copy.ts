import { type Clock, timestamp } from '#runtime/clock.ts';
import type { Database, Transaction } from './database.ts';
import { dialectOf } from './dialect.ts';
import type { CopiedTable, Copying, Reference, Row, Values } from './engines/engine.ts';
import { applyMigrations } from './migrate.ts';
import type { Migration } from './migrations/migration.ts';
import { createHandles, sessionOf } from './sessions.ts';

export type { CopiedTable, Reference, Values } from './engines/engine.ts';

/** The whole database, out of one state of it and into an empty one, in a form that both engines have. */

/** One moment of the database. Close it soon: on SQLite the log grows as long as it is open. */
export interface Snapshot {
  /** All tables but the list of migrations, by name. */
  readonly tables: readonly CopiedTable[];
  /** Names of the migrations that have run, in their order. */
  readonly migrations: readonly string[];
  /** Columns that refer to other rows. */
  references(): Promise<readonly Reference[]>;
  /** What the engine itself finds wrong with its files; an index that is named is mended by making it anew. */
  integrity(): ReturnType<Copying['integrity']>;
  /** The rows of a statement without parameters; small results only. */
  query(sql: string): Promise<Row[]>;
  /** All rows of a table, by its key: in the same order on both engines. */
  rows(table: CopiedTable): AsyncIterable<readonly Values[]>;
  close(): Promise<void>;
}

const MIGRATIONS = 'schema_migrations';

export async function openSnapshot(database: Database): Promise<Snapshot> {
  const { copying } = sessionOf(database.reader).engine;
  const connection = await copying.openSnapshot();
  const query = async (sql: string) => (await connection.execute({ sql, parameters: [] })).rows;
  try {
    const all = await copying.tables(connection);
    const applied = all.some(({ name }) => name === MIGRATIONS)
      ? await query(`select name from ${MIGRATIONS} order by name`)
      : [];
    return {
      tables: all.filter(({ name }) => name !== MIGRATIONS),
      migrations: applied.map(({ name }) => String(name)),
      query,
      references: () => copying.references(connection),
      integrity: () => copying.integrity(connection),
      rows: ({ name, columns, key }) => {
        const order = key.length > 0 ? key : columns.map((column) => column.name);
        const sorted = order.map((column) => `${quoted(column)} nulls first`).join(', ');
        const names = columns.map((column) => quoted(column.name)).join(', ');
        const kinds = columns.map(({ kind }) => kind);
        return connection.stream(`select ${names} from ${quoted(name)} order by ${sorted}`, kinds);
      },
      close: () => connection.close(),
    };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** Keeps everybody from moving refs until the function that it returns is called: for moments only. */
export function holdRefs(database: Database): Promise<() => Promise<void>> {
  return sessionOf(database.reader).engine.copying.holdRefs();
}

/** An empty database that is being filled: all of it is there at the end, or nothing is. */
export interface Filling {
  readonly tables: readonly CopiedTable[];
  insert(table: CopiedTable, rows: readonly Values[]): Promise<void>;
  setLastId(table: string, lastId: number): Promise<void>;
}

/**
 * Makes the tables of these migrations and lets `work` fill them. References are checked at the end; what triggers keep in
 * step with other rows comes with its own rows.
 */
export async function fillDatabase(
  database: Database,
  clock: Clock,
  migrations: readonly Migration[],
  work: (filling: Filling) => Promise<void>,
): Promise<void> {
  const { engine } = sessionOf(database.reader);
  const { copying } = engine;
  const open = await copying.beginFilling();
  try {
    const tx: Transaction = createHandles(engine, clock).transaction(open, {
      now: timestamp(clock),
      afterCommit: () => {},
    });
    await applyMigrations(tx, dialectOf(engine.name), migrations);
    const tables = (await copying.tables(open)).filter(({ name }) => name !== MIGRATIONS);
    const tighten = await copying.loosen(open);
    await work({
      tables,
      insert: (table, rows) => copying.insert(open, table, rows),
      setLastId: (table, lastId) => copying.setLastId(open, table, lastId),
    });
    await tighten();
  } catch (error) {
    await open.rollback().catch(() => {});
    throw error;
  }
  await open.commit();
  engine.schemaChanged();
}

/** Numbers for new rows of a table go on from here. */
export function setLastId(tx: Transaction, table: string, lastId: number): Promise<void> {
  const { engine, connection } = sessionOf(tx);
  return engine.copying.setLastId(connection, table, lastId);
}

/** A name of ours in a statement. */
export function quoted(name: string): string {
  if (!/^\w+$/.test(name)) throw new Error(`${JSON.stringify(name)} is no name of a table or column`);
  return `"${name}"`;
}
