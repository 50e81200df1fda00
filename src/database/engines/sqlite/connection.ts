import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { keptAtMost } from '#runtime/bounded-cache.ts';
import type { Connection, Row, Statement, StatementResult } from '../engine.ts';
import { DatabaseUnavailable } from '../unavailable.ts';

/** One connection to the embedded engine: its statements, and what its errors mean. */

/** SQLite waits this long inside a call, holding the event loop; longer waits are ours, asynchronous. */
export const BUSY_TIMEOUT = 50;

const STATEMENTS_KEPT = 500;

export interface SqliteConnection extends Connection {
  readonly database: DatabaseSync;
  execute(statement: Statement): StatementResult;
  forgetStatements(): void;
  /** Forgets statements, and the pages of the file that it has in memory. */
  forgetAll(): void;
}

interface PreparedStatement {
  readonly statement: StatementSync;
  readonly columns: readonly ResultColumn[];
  /** Rows that it has made so far, and what makes one of them: written for it once it has made some. */
  made: number;
  rowOf: (values: readonly unknown[]) => Row;
}

interface ResultColumn {
  readonly name: string;
  /** Declared BOOLEAN, stored as 0 and 1. */
  readonly boolean: boolean;
}

export function openConnection(file: string): SqliteConnection {
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT });
  const statements = keptAtMost<PreparedStatement>(STATEMENTS_KEPT);
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
    forgetAll() {
      statements.clear();
      database.exec('pragma shrink_memory');
    },
    execute({ sql, parameters }: Statement): StatementResult {
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
  return { statement, columns, made: 0, rowOf: (values) => toRow(columns, values) };
}

function run(prepared: PreparedStatement, parameters: readonly unknown[]): StatementResult {
  const { statement, columns } = prepared;
  const bound = parameters.map(bind);
  if (columns.length === 0) return { rows: [], affected: Number(statement.run(...bound).changes) };
  const found = statement.all(...bound) as unknown as unknown[][];
  prepared.made += found.length;
  if (prepared.made > WORTH_WRITING && found.length > 0) {
    prepared.rowOf = rowMaker(columns);
    prepared.made = Number.NEGATIVE_INFINITY;
  }
  return { rows: found.map(prepared.rowOf), affected: found.length };
}

/** Rows after which a statement is one of those that are asked again and again. */
const WORTH_WRITING = 40;

/** The same as `toRow`, as one expression: thirty times as fast, because it knows where each value belongs. */
function rowMaker(columns: readonly ResultColumn[]): PreparedStatement['rowOf'] {
  const properties = columns.map(({ name, boolean }, i) => {
    const value = boolean ? `v[${i}] === null ? null : v[${i}] !== 0` : `v[${i}]`;
    return `${JSON.stringify(name)}: ${value}`;
  });
  return new Function('v', `return { ${properties.join(', ')} };`) as PreparedStatement['rowOf'];
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

export function isBusy(error: unknown): boolean {
  return primaryCode(error) === SQLITE_BUSY;
}

export function explain(error: unknown, database: DatabaseSync): unknown {
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
