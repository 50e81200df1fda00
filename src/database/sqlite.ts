import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import { LRUCache } from 'lru-cache';
import { gate } from '../gate.ts';
import type { Connection, Engine, OpenTransaction, Row, Statement, StatementResult } from './engine.ts';
import { rememberReads } from './remembered.ts';
import { DatabaseUnavailable } from './unavailable.ts';

/** SQLite waits this long inside a call, holding the event loop; longer waits are ours, asynchronous. */
const BUSY_TIMEOUT = 50;

/** How long `BEGIN IMMEDIATE` is tried again while another process (a CLI command) writes. */
const PATIENCE = 10_000;

/** Bytes that the write-ahead log keeps after a checkpoint. */
const WAL_KEPT = 16 * 2 ** 20;

const STATEMENTS_KEPT = 500;

/** The embedded engine: one connection that writes, one that reads, both on `file`. */
export function openSqlite(file: string): Engine {
  const writer = openConnection(file);
  writer.database.exec(
    `pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on; pragma journal_size_limit = ${WAL_KEPT}`,
  );
  const reader = rememberReads(openConnection(file));
  reader.database.exec('pragma query_only = on');
  const { take: takeTurn } = gate(1);
  return {
    name: 'sqlite',
    immediate: true,
    kysely: {
      createAdapter: () => new SqliteAdapter(),
      createQueryCompiler: () => new SqliteQueryCompiler(),
      createIntrospector: (db) => new SqliteIntrospector(db),
    },
    reading: reader,
    async begin() {
      const done = await takeTurn();
      try {
        await beginImmediate(writer.database);
      } catch (error) {
        done();
        throw error;
      }
      return openTransaction(writer, () => {
        reader.committed();
        done();
      });
    },
    mayRunAgain: isBusy,
    schemaChanged() {
      writer.forgetStatements();
      reader.forgetStatements();
    },
    async close() {
      const done = await takeTurn();
      reader.database.close();
      writer.database.close();
      done();
    },
  };
}

interface SqliteConnection extends Connection {
  readonly database: DatabaseSync;
  forgetStatements(): void;
}

interface PreparedStatement {
  readonly statement: StatementSync;
  readonly columns: readonly ResultColumn[];
}

interface ResultColumn {
  readonly name: string;
  /** Declared BOOLEAN, stored as 0 and 1. */
  readonly boolean: boolean;
}

function openConnection(file: string): SqliteConnection {
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT });
  const statements = new LRUCache<string, PreparedStatement>({ max: STATEMENTS_KEPT });
  const prepared = (sql: string): PreparedStatement => {
    let known = statements.get(sql);
    if (known === undefined) {
      known = describe(database.prepare(sql));
      statements.set(sql, known);
    }
    return known;
  };
  return {
    database,
    forgetStatements: () => statements.clear(),
    async execute({ sql, parameters }: Statement): Promise<StatementResult> {
      try {
        return run(prepared(sql), parameters);
      } catch (error) {
        throw explain(error, database);
      }
    },
  };
}

function describe(statement: StatementSync): PreparedStatement {
  const columns = statement.columns().map(({ name, type }) => ({ name, boolean: type?.toLowerCase() === 'boolean' }));
  // Reading arrays and making the objects here takes half the time, and they have the usual prototype.
  statement.setReturnArrays(true);
  return { statement, columns };
}

function run({ statement, columns }: PreparedStatement, parameters: readonly unknown[]): StatementResult {
  const bound = parameters.map(bind);
  if (columns.length === 0) return { rows: [], affected: Number(statement.run(...bound).changes) };
  const found = statement.all(...bound) as unknown as unknown[][];
  return { rows: found.map((values) => toRow(columns, values)), affected: found.length };
}

function toRow(columns: readonly ResultColumn[], values: readonly unknown[]): Row {
  const row: Row = {};
  for (let i = 0; i < columns.length; i++) {
    const { name, boolean } = columns[i]!;
    const value = values[i];
    row[name] = boolean && value !== null ? value !== 0 : value;
  }
  return row;
}

/** node:sqlite binds every number as REAL, which a text column would keep as `5.0`; integers go as integers. */
function bind(value: unknown): SQLInputValue {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (typeof value === 'boolean') return value ? 1n : 0n;
  return value as SQLInputValue;
}

async function beginImmediate(database: DatabaseSync): Promise<void> {
  for (let waited = 0, wait = 2; ; waited += wait + BUSY_TIMEOUT, wait = Math.min(wait * 2, 100)) {
    try {
      database.exec('begin immediate');
      return;
    } catch (error) {
      if (!isBusy(error)) throw explain(error, database);
      if (waited > PATIENCE) throw new DatabaseUnavailable(error);
    }
    await pause(wait);
  }
}

function openTransaction(writer: SqliteConnection, done: () => void): OpenTransaction {
  const { database } = writer;
  return {
    execute: (statement) => writer.execute(statement),
    async commit() {
      try {
        database.exec('commit');
      } catch (error) {
        if (database.isTransaction) database.exec('rollback');
        throw explain(error, database);
      } finally {
        done();
      }
    },
    async rollback() {
      try {
        // Some failures (a full disk) have rolled back already.
        if (database.isTransaction) database.exec('rollback');
      } finally {
        done();
      }
    },
  };
}

const SQLITE_FULL = 13;
const SQLITE_INPUT_OUTPUT = 10;
const SQLITE_CANNOT_OPEN = 14;
const SQLITE_BUSY = 5;
const CONSTRAINT_UNIQUE = 2067;
const CONSTRAINT_PRIMARY_KEY = 1555;

/** The extended result code of an error of node:sqlite. */
function resultCode(error: unknown): number | undefined {
  const code = error instanceof Error && 'errcode' in error ? error.errcode : undefined;
  return typeof code === 'number' ? code : undefined;
}

/** The low byte of an extended code is the primary one. */
function primaryCode(error: unknown): number | undefined {
  const code = resultCode(error);
  return code === undefined ? undefined : code & 0xff;
}

function isBusy(error: unknown): boolean {
  return primaryCode(error) === SQLITE_BUSY;
}

function explain(error: unknown, database: DatabaseSync): unknown {
  const primary = primaryCode(error);
  if (primary === SQLITE_FULL || primary === SQLITE_INPUT_OUTPUT || primary === SQLITE_CANNOT_OPEN) {
    return new DatabaseUnavailable(error);
  }
  const code = resultCode(error);
  if (error instanceof Error && (code === CONSTRAINT_UNIQUE || code === CONSTRAINT_PRIMARY_KEY)) {
    // PostgreSQL reports the index; SQLite reports its columns, from which the index is found.
    Object.assign(error, { constraint: violatedIndex(error.message, code, database) });
  }
  return error;
}

function violatedIndex(message: string, code: number, database: DatabaseSync): string {
  const named = /index '([^']+)'/.exec(message);
  if (named) return named[1]!;
  const columns = message.replace(/^.*failed: /, '').split(', ');
  const table = columns[0]!.split('.')[0]!;
  if (code === CONSTRAINT_PRIMARY_KEY) return `${table}_pkey`;
  const wanted = columns.map((column) => column.slice(table.length + 1)).join(',');
  const indexes = database
    .prepare(
      `select l.name, (select group_concat(i.name, ',') from pragma_index_info(l.name) i) as columns
         from pragma_index_list(?) l where l."unique"`,
    )
    .all(table);
  return String(indexes.find((index) => index.columns === wanted)?.name ?? table);
}
