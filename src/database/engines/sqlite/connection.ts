import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { createBoundedCache } from '#runtime/bounded-cache.ts';
import { type Connection, DatabaseUnavailable, type Statement, type StatementResult } from '../engine.ts';
import { RowMapper } from '../row-mapper.ts';

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
  readonly hasColumns: boolean;
  readonly mapper: RowMapper;
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
  const columns = statement.columns().map(({ name, type }) => ({
    name,
    // The values of a column that is declared BOOLEAN are 0 and 1.
    convert: type?.toLowerCase() === 'boolean' ? isNotZero : undefined,
  }));
  // Building the objects here takes half the time of node:sqlite, whose objects also have no prototype.
  statement.setReturnArrays(true);
  return { statement, hasColumns: columns.length > 0, mapper: new RowMapper(columns) };
}

const isNotZero = (value: number) => value !== 0;

function runStatement({ statement, hasColumns, mapper }: PreparedStatement, parameters: readonly unknown[]) {
  const sqliteParameters = parameters.map(toSqliteValue);
  if (!hasColumns) return { rows: [], affected: Number(statement.run(...sqliteParameters).changes) };
  // The type of `all` ignores that the statement returns arrays.
  const resultRows = statement.all(...sqliteParameters) as unknown as unknown[][];
  return { rows: resultRows.map((values) => mapper.toRow(values)), affected: resultRows.length };
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
