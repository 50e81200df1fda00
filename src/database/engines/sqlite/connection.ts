import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { createBoundedCache } from '#runtime/bounded-cache.ts';
import { type Connection, DatabaseUnavailable, type Row, type Statement, type StatementResult } from '../engine.ts';

/** Milliseconds that SQLite waits for a lock inside a call, which blocks the event loop. Longer waits are asynchronous. */
export const BUSY_TIMEOUT_MS = 50;

/** Maximum number of prepared statements per connection. */
const MAX_PREPARED_STATEMENTS = 500;

export interface SqliteConnection extends Connection {
  readonly database: DatabaseSync;
  execute(statement: Statement): StatementResult;
  clearStatements(): void;
  /** Clears prepared statements and cached pages. */
  clearMemory(): void;
}

interface PreparedStatement {
  readonly statement: StatementSync;
  readonly columns: readonly ResultColumn[];
  /** Number of result rows so far; negative infinity once `mapRow` is compiled. */
  rowCount: number;
  /** Converts the values of a row to an object. Compiled after `ROWS_BEFORE_COMPILING` rows. */
  mapRow: (values: readonly unknown[]) => Row;
}

interface ResultColumn {
  readonly name: string;
  /** Whether the column is declared BOOLEAN; its values are 0 and 1. */
  readonly isBoolean: boolean;
}

/** Opens a connection. `checkInterruption` throws if the running statement was interrupted; it is called for each scanned text. */
export function openConnection(file: string, checkInterruption?: () => void): SqliteConnection {
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  // Conditions that scan texts call this SQL function (`hasSubstringInLongText`).
  const zeroUnlessInterrupted = () => {
    checkInterruption?.();
    return 0;
  };
  // SQLite calls a deterministic function without arguments once per statement, any other function once per row.
  const options = { deterministic: checkInterruption === undefined };
  database.function('zero_unless_interrupted', options, zeroUnlessInterrupted);
  const statements = createBoundedCache<PreparedStatement>(MAX_PREPARED_STATEMENTS);
  const prepareCached = (sql: string): PreparedStatement => {
    let preparedStatement = statements.get(sql);
    if (preparedStatement === undefined) {
      preparedStatement = toPreparedStatement(database.prepare(sql));
      statements.set(sql, preparedStatement);
    }
    return preparedStatement;
  };
  return {
    database,
    clearStatements: () => statements.clear(),
    clearMemory() {
      statements.clear();
      database.exec('pragma shrink_memory');
    },
    execute({ sql, parameters, isScript }: Statement): StatementResult {
      try {
        if (isScript) {
          database.exec(sql);
          return { rows: [] };
        }
        return runStatement(prepareCached(sql), parameters);
      } catch (error) {
        throw translateError(error, database);
      }
    },
  };
}

function toPreparedStatement(statement: StatementSync): PreparedStatement {
  const columns = statement.columns().map(({ name, type }) => ({ name, isBoolean: type?.toLowerCase() === 'boolean' }));
  // Building the objects here takes half the time of node:sqlite, whose objects also have no prototype.
  statement.setReturnArrays(true);
  return { statement, columns, rowCount: 0, mapRow: (values) => toRow(columns, values) };
}

function runStatement(prepared: PreparedStatement, parameters: readonly unknown[]): StatementResult {
  const { statement, columns } = prepared;
  const sqliteParameters = parameters.map(toSqliteValue);
  if (columns.length === 0) return { rows: [], affected: Number(statement.run(...sqliteParameters).changes) };
  // The type of `all` ignores that the statement returns arrays.
  const resultRows = statement.all(...sqliteParameters) as unknown as unknown[][];
  prepared.rowCount += resultRows.length;
  if (prepared.rowCount > ROWS_BEFORE_COMPILING && resultRows.length > 0) {
    prepared.mapRow = compileRowMapper(columns);
    prepared.rowCount = Number.NEGATIVE_INFINITY;
  }
  return { rows: resultRows.map(prepared.mapRow), affected: resultRows.length };
}

/** Number of rows after which a statement counts as frequent, and its row mapper is compiled. */
const ROWS_BEFORE_COMPILING = 40;

/** Compiles a `toRow` for these columns, with one object literal, which is thirty times as fast. */
function compileRowMapper(columns: readonly ResultColumn[]): PreparedStatement['mapRow'] {
  const properties = columns.map(({ name, isBoolean }, i) => {
    const value = isBoolean ? `v[${i}] === null ? null : v[${i}] !== 0` : `v[${i}]`;
    return `${JSON.stringify(name)}: ${value}`;
  });
  return new Function('v', `return { ${properties.join(', ')} };`) as PreparedStatement['mapRow'];
}

function toRow(columns: readonly ResultColumn[], values: readonly unknown[]): Row {
  const row: Row = {};
  for (let i = 0; i < columns.length; i++) {
    const { name, isBoolean } = columns[i]!;
    const value = values[i];
    row[name] = isBoolean && value !== null ? value !== 0 : value;
  }
  return row;
}

/** Converts a parameter. node:sqlite binds numbers as REAL, which a text column would store as `5.0`: pass integers as bigint. */
export function toSqliteValue(value: unknown): SQLInputValue {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (typeof value === 'boolean') return value ? 1n : 0n;
  return value as SQLInputValue;
}

/** Primary result codes of SQLite. */
const SQLITE_FULL = 13;
const SQLITE_INPUT_OUTPUT = 10;
const SQLITE_CANNOT_OPEN = 14;
const SQLITE_BUSY = 5;
/** Extended result codes of SQLite. */
const CONSTRAINT_UNIQUE = 2067;
const CONSTRAINT_PRIMARY_KEY = 1555;

/** Returns the extended result code of a node:sqlite error. */
function getResultCode(error: unknown): number | undefined {
  const code = error instanceof Error && 'errcode' in error ? error.errcode : undefined;
  return typeof code === 'number' ? code : undefined;
}

/** Returns the primary result code, the low byte of the extended one. */
function getPrimaryCode(error: unknown): number | undefined {
  const code = getResultCode(error);
  return code === undefined ? undefined : code & 0xff;
}

/** Returns whether another connection holds the lock that the statement needs. */
export function isBusy(error: unknown): boolean {
  return getPrimaryCode(error) === SQLITE_BUSY;
}

/**
 * Returns a DatabaseUnavailable error if the file cannot be read or written, else the same error. Adds the name of the violated
 * index to a violation of a unique constraint.
 */
export function translateError(error: unknown, database: DatabaseSync): unknown {
  const primaryCode = getPrimaryCode(error);
  if (primaryCode === SQLITE_FULL || primaryCode === SQLITE_INPUT_OUTPUT || primaryCode === SQLITE_CANNOT_OPEN)
    return new DatabaseUnavailable(error);
  const code = getResultCode(error);
  if (error instanceof Error && (code === CONSTRAINT_UNIQUE || code === CONSTRAINT_PRIMARY_KEY)) {
    // PostgreSQL reports the index; SQLite reports its columns, so the index is looked up.
    Object.assign(error, { constraint: findViolatedIndex(error.message, code, database) });
  }
  return error;
}

/** Finds the index by the message, such as `UNIQUE constraint failed: users.name`. */
function findViolatedIndex(message: string, code: number, database: DatabaseSync): string {
  // For an index on expressions, SQLite reports the index itself.
  const indexMatch = /index '([^']+)'/.exec(message);
  if (indexMatch) return indexMatch[1]!;
  const columns = message.replace(/^.*failed: /, '').split(', ');
  const table = columns[0]!.split('.')[0]!;
  if (code === CONSTRAINT_PRIMARY_KEY) return `${table}_pkey`;
  const violatedColumns = columns.map((column) => column.slice(table.length + 1)).join(',');
  const indexes = database
    .prepare(
      `select l.name, (select group_concat(i.name, ',') from pragma_index_info(l.name) i) as columns
         from pragma_index_list(?) l where l."unique"`,
    )
    .all(table);
  return String(indexes.find((index) => index.columns === violatedColumns)?.name ?? table);
}
