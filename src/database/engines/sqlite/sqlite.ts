import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { SqliteAdapter, SqliteIntrospector } from 'kysely';
import { createDatabaseActivity, type DatabaseActivity } from '#database/activity.ts';
import { cacheReads, createReadSnapshot, type ReadSnapshot } from '#database/cache/cached-reads.ts';
import { loadSqliteCatalog, TableVersions } from '#database/cache/table-versions.ts';
import { createConcurrencyLimiter } from '#runtime/concurrency-limiter.ts';
import { createSharedYielder } from '#runtime/yielding.ts';
import {
  type ClientContext,
  type Connection,
  DatabaseUnavailable,
  type Engine,
  type OpenTransaction,
  type Statement,
} from '../engine.ts';
import { getLongStatementKind, type LongStatementKind } from '../long-statements.ts';
import { AD_HOC_COMPILERS } from '../query-compilers.ts';
import { BUSY_TIMEOUT_MS, isBusy, openConnection, type SqliteConnection, translateError } from './connection.ts';
import { createSqliteBackupOperations } from './copy.ts';
import { createReadThreads } from './read-thread.ts';

/** Milliseconds for which a locked database is retried while another process (a CLI command) writes. */
const BUSY_RETRY_MS = 10_000;

/** Maximum number of waiting transactions: about one second of work. */
const QUEUE_LIMIT = { maxWaiting: 1_000, retryAfterSeconds: 5 };

/** Maximum bytes of the write-ahead log after a checkpoint. */
const WAL_SIZE_LIMIT = 16 * 2 ** 20;

/** Default minimum size in bytes of a database whose long statements run in a thread. */
const DEFAULT_LARGE_BYTES = 32 * 2 ** 20;
/** Share of the minimum size at which the thread is started in advance. */
const PREPARE_THREAD_SHARE = 0.75;
/** Share of the minimum size at which statements that scan texts run in a thread: a mebibyte may take 20 ms. */
const SCAN_THREAD_SHARE = 1 / 16;

interface SqliteOptions {
  /** Minimum size in bytes of a database that counts as large. */
  readonly largeDatabaseBytes?: number | undefined;
  /** Counts statements outside of transactions. */
  readonly activity?: DatabaseActivity;
  /** False: commits survive the end of the process, but not that of the machine. Default: true. */
  readonly isDurable?: boolean | undefined;
}

/**
 * Opens the SQLite engine: one writing and one reading connection on `file`, and for a large database threads for long
 * lists and for statements that scan texts.
 */
export function openSqlite(
  file: string,
  {
    largeDatabaseBytes = DEFAULT_LARGE_BYTES,
    activity = createDatabaseActivity(),
    isDurable = true,
  }: SqliteOptions = {},
): Engine {
  const writer = openConnection(file);
  writer.database.exec(
    `pragma journal_mode = wal; pragma synchronous = ${isDurable ? 'full' : 'off'}; pragma foreign_keys = on; pragma journal_size_limit = ${WAL_SIZE_LIMIT}`,
  );
  const sizeStatement = writer.database.prepare(
    'select page_count * page_size as bytes from pragma_page_count, pragma_page_size',
  );
  const getDatabaseBytes = () => Number(sizeStatement.get()!.bytes);
  const isLarge = () => getDatabaseBytes() >= largeDatabaseBytes;
  if (isLarge()) analyzeAllTables(writer.database);
  const snapshotConnection = openConnection(file);
  snapshotConnection.database.exec('pragma query_only = on');
  const snapshot = createReadSnapshot(snapshotConnection);
  const threadPools = { list: createReadThreads(file), scan: createReadThreads(file) };
  const executor = createYieldingExecutor();
  const { execute: readOnSnapshot } = executor.forConnection(snapshot);
  const execute = (statement: Statement, origin?: ClientContext) => {
    const kind = getLongStatementKind(statement);
    return activity.measure(kind ?? 'read', () => executeUnmeasured(kind, statement, origin));
  };
  const executeUnmeasured = (kind: LongStatementKind | null, statement: Statement, origin?: ClientContext) => {
    if (kind === null) return readOnSnapshot(statement);
    // In a small database, even long statements block the event loop only briefly.
    const databaseBytes = getDatabaseBytes();
    if (databaseBytes >= (kind === 'scan' ? largeDatabaseBytes * SCAN_THREAD_SHARE : largeDatabaseBytes))
      return threadPools[kind].execute(statement, origin);
    if (databaseBytes >= largeDatabaseBytes * PREPARE_THREAD_SHARE) threadPools.list.startThread();
    return readOnSnapshot(statement);
  };
  const versions = new TableVersions(() => loadSqliteCatalog(writer.database));
  const cachedReader = cacheReads({ ...snapshot, execute }, { database: writer.database, versions });
  // Serializes the transactions of this process; other processes wait for SQLite's lock.
  const { acquire: acquireWriteLock } = createConcurrencyLimiter(1, QUEUE_LIMIT);
  const runExclusive: RunExclusive = async (database, work) => {
    const releaseLock = await acquireWriteLock({ exemptFromLimit: true });
    try {
      await executor.yieldIfDue();
      await retryWhileBusy(database, () => {
        // `work` may write on the reading connection, and later reads must see these writes.
        snapshot.endReadTransaction();
        work();
      });
    } finally {
      releaseLock();
    }
  };
  /** Begins a transaction while the write lock is held; `onEnded` must release it. */
  const beginLocked = async (onEnded: () => void) => {
    try {
      // Otherwise many transactions that waited for another process would run in one event loop turn.
      await executor.yieldIfDue();
      await retryWhileBusy(writer.database, () => writer.database.exec('begin immediate'));
    } catch (error) {
      onEnded();
      throw error;
    }
    return openTransaction({ writer, snapshot, versions, executor }, onEnded);
  };
  const beginTransaction: Engine['begin'] = async (_isolation, _lockKeys, waiter) =>
    beginLocked(await acquireWriteLock(waiter));
  /**
   * Begins a transaction without foreign key checks. SQLite can switch them only outside of transactions, so that the lock is held at
   * both switches.
   */
  const beginRestoreTransaction = async () => {
    const releaseLock = await acquireWriteLock();
    writer.database.exec('pragma foreign_keys = off');
    return beginLocked(() => {
      writer.database.exec('pragma foreign_keys = on');
      releaseLock();
    });
  };
  return {
    name: 'sqlite',
    kysely: {
      createAdapter: () => new SqliteAdapter(),
      createQueryCompiler: AD_HOC_COMPILERS.sqlite,
      createIntrospector: (db) => new SqliteIntrospector(db),
    },
    readConnection: cachedReader,
    openRequestConnection: cachedReader.openRequestConnection,
    begin: beginTransaction,
    cacheCounts: cachedReader.cacheCounts,
    getConnections: () => null,
    backupOperations: createSqliteBackupOperations(file, beginRestoreTransaction),
    isRetryable: isBusy,
    clearSchemaCaches() {
      writer.clearStatements();
      cachedReader.clearStatements();
      cachedReader.clearCache();
      versions.clearCatalog();
    },
    clearCaches() {
      cachedReader.clearCache();
      for (const connection of [snapshot, writer]) connection.clearMemory();
      for (const pool of Object.values(threadPools)) void pool.stopWhenIdle();
    },
    async updateStatistics() {
      if (!isLarge()) return;
      const { hasAnalyzed } = await analyzeTables(writer.database, snapshot.database, runExclusive);
      if (!hasAnalyzed) return;
      cachedReader.clearCache();
      await Promise.all(Object.values(threadPools).map((pool) => pool.restart()));
    },
    async close() {
      const releaseLock = await acquireWriteLock({ exemptFromLimit: true });
      await Promise.all(Object.values(threadPools).map((pool) => pool.close()));
      snapshot.endReadTransaction();
      snapshot.database.close();
      writer.database.close();
      releaseLock();
    },
  };
}

/** Runs work that needs the write lock, and retries while another process holds it. */
async function retryWhileBusy(database: DatabaseSync, work: () => void): Promise<void> {
  for (let waitedMs = 0, delayMs = 2; ; waitedMs += delayMs + BUSY_TIMEOUT_MS, delayMs = Math.min(delayMs * 2, 100)) {
    try {
      work();
      return;
    } catch (error) {
      if (!isBusy(error)) throw translateError(error, database);
      if (waitedMs > BUSY_RETRY_MS) throw new DatabaseUnavailable(error);
    }
    await pause(delayMs);
  }
}

/**
 * Creates an executor that yields to the event loop between statements: each statement is short but blocks it, and many in
 * a row would block it for long.
 */
function createYieldingExecutor() {
  const yieldIfDue = createSharedYielder();
  return {
    yieldIfDue,
    forConnection({ execute }: Connection) {
      let waitingCount = 0;
      let hasWaited = false;
      return {
        execute(statement: Statement) {
          const nextTurn = yieldIfDue();
          if (nextTurn === undefined) return execute(statement);
          hasWaited = true;
          waitingCount++;
          return nextTurn.then(() => {
            waitingCount--;
            return execute(statement);
          });
        },
        /** Returns whether a statement has waited since the last call, or waits now. */
        hasYieldedSinceLastCall() {
          const hasYielded = hasWaited;
          hasWaited = waitingCount > 0;
          return hasYielded;
        },
      };
    },
  };
}

interface TransactionResources {
  readonly writer: SqliteConnection;
  /** The connection on which other requests read. */
  readonly snapshot: ReadSnapshot;
  readonly versions: TableVersions;
  readonly executor: ReturnType<typeof createYieldingExecutor>;
}

/** Wraps the transaction that has begun on the writer. Calls `onEnded` after its end. */
function openTransaction(
  { writer, snapshot, versions, executor }: TransactionResources,
  onEnded: () => void,
): OpenTransaction {
  const { database } = writer;
  const changedTables = new Set<string>();
  const execute = (statement: Statement) => {
    const result = writer.execute(statement);
    // A statement that affected no row has changed no table.
    if (result.affected !== 0)
      for (const table of versions.findChangedTables(statement.sql) ?? []) changedTables.add(table);
    return result;
  };
  return {
    ...executor.forConnection({ execute }),
    async commit() {
      try {
        // Later reads of this event loop turn must see the commit.
        snapshot.endReadTransaction();
        database.exec('commit');
      } catch (error) {
        if (database.isTransaction) database.exec('rollback');
        throw translateError(error, database);
      } finally {
        versions.recordTransactionEnd(changedTables);
        onEnded();
      }
    },
    async rollback() {
      try {
        // Some failures, such as a full disk, have already rolled back.
        if (database.isTransaction) database.exec('rollback');
      } finally {
        onEnded();
      }
    },
  };
}

/** Limits the number of rows per index that are analyzed: enough to avoid plans that only suit small tables. */
const SET_ANALYSIS_LIMIT = 'pragma analysis_limit = 400';

/** Flags of `pragma optimize`: check all tables (0x10000), analyze those without statistics or of ten times another size (2). */
const OPTIMIZE_MASK = 0x10002;

/** Analyzes all tables at the start of a process. Skipped while another process writes. */
function analyzeAllTables(database: DatabaseSync): void {
  try {
    database.exec(`${SET_ANALYSIS_LIMIT}; pragma optimize = ${OPTIMIZE_MASK}`);
  } catch (error) {
    if (!isBusy(error)) throw error;
  }
}

/** Runs synchronous work that writes on `database`, while no transaction is open. Retries while another process writes. */
type RunExclusive = (database: DatabaseSync, work: () => void) => Promise<void>;

/**
 * Analyzes a database in use, one table at a time, so that no step blocks for long. Then the reading connection reloads the
 * statistics. Returns whether a table was analyzed.
 */
export async function analyzeTables(
  writer: DatabaseSync,
  reader: DatabaseSync,
  runExclusive: RunExclusive,
): Promise<{ readonly hasAnalyzed: boolean }> {
  writer.exec(SET_ANALYSIS_LIMIT);
  // The flag 1 only lists the steps.
  const optimizeRows = writer.prepare(`pragma optimize(${OPTIMIZE_MASK | 1})`).all();
  const steps = optimizeRows.map(({ optimize }) => String(optimize)).filter((step) => step.startsWith('ANALYZE'));
  for (const step of steps) await runExclusive(writer, () => runWriteStatement(writer, step));
  if (steps.length > 0) await reloadStatistics(reader, runExclusive);
  return { hasAnalyzed: steps.length > 0 };
}

/** Makes a connection reload the statistics. Only `analyze sqlite_schema` does that, and SQLite treats it as a write. */
async function reloadStatistics(reader: DatabaseSync, runExclusive: RunExclusive): Promise<void> {
  await runExclusive(reader, () => {
    // Allow writes only now, because other requests read on this connection while this work waits.
    reader.exec('pragma query_only = off');
    try {
      runWriteStatement(reader, 'analyze sqlite_schema');
    } finally {
      reader.exec('pragma query_only = on');
    }
  });
}

/** Runs a statement in an immediate transaction: a deferred one could conflict with another writer after its first read. */
function runWriteStatement(database: DatabaseSync, statement: string): void {
  database.exec('begin immediate');
  try {
    database.exec(statement);
    database.exec('commit');
  } finally {
    if (database.isTransaction) database.exec('rollback');
  }
}
