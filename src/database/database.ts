import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '#runtime/clock.ts';
import { createDatabaseActivity, type DatabaseActivity } from './activity.ts';
import type {
  CacheCounts,
  ClientContext,
  Connection,
  ConnectionUse,
  Engine,
  EngineName,
  MaybePromise,
  ReadMode,
  ReadSet,
  RequestConnection,
} from './engines/engine.ts';
import { openPostgres, SERVER_APPLICATION_NAME } from './engines/postgres/postgres.ts';
import { openSqlite } from './engines/sqlite/sqlite.ts';
import { createHandles, type Reader, type Transaction } from './sessions.ts';
import { runForClient, runTransaction, type TransactionOptions } from './transactions.ts';

export {
  type ClientContext,
  DatabaseUnavailable,
  type ReadSet,
  StaleRead,
  type WritingClient,
} from './engines/engine.ts';
export type { Schema } from './schema.ts';
export type { Columns, Reader, Transaction } from './sessions.ts';
export type { TransactionOptions } from './transactions.ts';
export { runForClient } from './transactions.ts';

export interface Database {
  /** The name of the engine; only code of this folder should depend on it. */
  readonly engine: EngineName;
  /** Runs single read statements outside of transactions. */
  readonly reader: Reader;
  /**
   * Returns the database for one client: its long reads take turns with those of other networks and are canceled when it
   * disconnects. Its transactions wait on behalf of `origin.writer` (`transactions.ts`).
   */
  forClient(origin: ClientContext): Database;
  /**
   * Returns the database for the reads of one request: cached results are never older than this call; in the mode `optimistic`
   * only once `verify` has returned. Call it again after waiting for something else, such as a body or another server.
   */
  forRequest(mode?: ReadMode): RequestDatabase;
  /**
   * Runs `work` in a transaction and returns its result. Rolls back if `work` throws or returns a Failure.
   * `work` may run again, so it must contain SQL only.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Throws `StaleRead` if an optimistic request has read an older state. Transactions call it first. */
  verify(): MaybePromise<void>;
  /** Counts and durations of database work since the start of the process, for metrics. */
  readonly activity: DatabaseActivity;
  /** Counts of hits and misses of the cache of query results. */
  readonly cacheCounts: CacheCounts;
  /** Returns how the connections to PostgreSQL are used; null for SQLite. */
  getConnections(): ConnectionUse | null;
  /** Clears all caches. */
  clearCaches(): void;
  /** Updates the table statistics of the query planner, without blocking other work. */
  updateStatistics(): Promise<void>;
  /** Waits for the running transaction, then closes all connections. */
  close(): Promise<void>;
}

/** A view of the database for one request. */
export interface RequestDatabase extends Database {
  /**
   * Returns the version of the state that reads see (SQLite: in this event loop turn), or a promise of it. It changes with
   * each commit of any process.
   */
  getVersion(): unknown;
  /** Returns the reads of the request so far, to check later whether they are current as of the last known version. */
  getReadSet(): ReadSet;
}

interface DatabaseOptions {
  /** `postgres://...`; default: SQLite in the file `hearth.sqlite3` of the data directory. */
  readonly url?: string | undefined;
  readonly dataDir: string;
  readonly clock: Clock;
  readonly log?: DatabaseLog;
  /** PostgreSQL: the name of the program; default: that of servers (`countServerSessions`). */
  readonly applicationName?: string;
  /** PostgreSQL: maximum number of connections; default 10. */
  readonly connections?: number;
  /** SQLite: minimum size in bytes of a database whose long statements run in a separate thread. */
  readonly largeDatabaseBytes?: number;
  /** SQLite: false: commits survive the end of the process, but not that of the machine. Default: true. */
  readonly isDurable?: boolean;
  /** For tests: fails a SQLite transaction that waits for anything but SQL. */
  readonly detectLongTransactions?: boolean;
}

interface DatabaseLog {
  error(details: object, message: string): void;
}

/** Opens the database without migrating it; call `migrate` for that. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const activity = createDatabaseActivity();
  const engine = await openEngine(options, activity);
  const handles = createHandles(engine, options.clock);
  const context = {
    engine,
    activity,
    handles,
    clock: options.clock,
    detectLongTransactions: options.detectLongTransactions ?? false,
    onActionFailed: (error: unknown) => options.log?.error({ err: error }, 'An action after a commit failed'),
  };
  const createDatabase = (
    readConnection: Connection,
    origin?: ClientContext,
    verify: RequestConnection['verify'] = () => {},
  ): Database => ({
    engine: engine.name,
    reader: handles.createReader(readConnection),
    forClient,
    forRequest: (mode) => createRequestDatabase(engine.openRequestConnection(origin, mode), origin),
    // Transactions of the databases of clients run on the root database.
    async transaction(work, transactionOptions) {
      await verify();
      if (origin === undefined) return runTransaction(context, work, transactionOptions);
      if (origin.writer === undefined) return rootDatabase.transaction(work, transactionOptions);
      return runForClient(origin.writer, transactionOptions, (options) => rootDatabase.transaction(work, options));
    },
    verify,
    activity,
    cacheCounts: engine.cacheCounts,
    getConnections: () => engine.getConnections(),
    clearCaches: () => engine.clearCaches(),
    updateStatistics: () => engine.updateStatistics(),
    close: () => engine.close(),
  });
  const forClient = (origin: ClientContext): Database => {
    const { execute } = engine.readConnection;
    return createDatabase({ execute: (statement) => execute(statement, origin) }, origin);
  };
  const createRequestDatabase = (requestConnection: RequestConnection, origin?: ClientContext): RequestDatabase => ({
    ...createDatabase(requestConnection, origin, requestConnection.verify),
    getVersion: requestConnection.getVersion,
    getReadSet: requestConnection.getReadSet,
  });
  const rootDatabase = createDatabase(engine.readConnection);
  return rootDatabase;
}

/** Opens PostgreSQL if a URL is set, else SQLite in the data directory. */
async function openEngine(
  {
    url,
    dataDir,
    log,
    largeDatabaseBytes,
    isDurable,
    connections = 10,
    applicationName = SERVER_APPLICATION_NAME,
  }: DatabaseOptions,
  activity: DatabaseActivity,
): Promise<Engine> {
  if (url !== undefined) {
    const onLost = (error: Error) => log?.error({ err: error }, 'A connection to the database was lost');
    return openPostgres({ url, connections, applicationName, onLost, activity });
  }
  await mkdir(dataDir, { recursive: true });
  return openSqlite(join(dataDir, 'hearth.sqlite3'), { largeDatabaseBytes, isDurable, activity });
}
