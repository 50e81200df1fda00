import type { DatabaseSync } from 'node:sqlite';
import type {
  CacheCounts,
  ClientContext,
  Connection,
  MaybePromise,
  RequestConnection,
  Statement,
  StatementResult,
} from '../engines/engine.ts';
import type { SqliteConnection } from '../engines/sqlite/connection.ts';
import { QueryCache } from './query-cache.ts';
import type { TableVersions } from './table-versions.ts';

interface CachedReads {
  /** Opens a read connection for one request. */
  openRequestConnection(origin?: ClientContext): RequestConnection;
  clearCache(): void;
  /** Counts of cache hits and misses. */
  readonly cacheCounts: CacheCounts;
}

type ReadConnection = Connection & Pick<ReadSnapshot, 'endReadTransaction' | 'getVersion'>;

/**
 * Caches query results for as long as they are current. SQLite changes the `data_version` of a connection when another
 * connection commits. The version of the writer changes only when another process commits: then the whole cache is cleared. Commits
 * of this process invalidate only the results that read the written tables.
 *
 * The versions are checked once per event loop turn: what another process commits during a turn is visible in a later one, before a
 * client can know of it. The writer's version is queried only if the reader's version has changed, which makes most checks five
 * times as fast.
 */
export function cacheReads<Connected extends ReadConnection>(
  connection: Connected,
  { database, versions }: { readonly database: DatabaseSync; readonly versions: TableVersions },
): Connected & CachedReads {
  const queryWriterVersion = prepareDataVersion(database);
  const cache = new QueryCache(versions);
  let writerVersion: unknown;
  /** The reader's version at the last check; undefined if reads may have been newer than `writerVersion`. */
  let readerVersion: unknown;
  let isCheckedThisTurn = false;
  const resetCheck = () => {
    isCheckedThisTurn = false;
  };
  const updateVersions = (newReaderVersion: unknown) => {
    const newWriterVersion = queryWriterVersion();
    readerVersion = newWriterVersion === writerVersion ? newReaderVersion : undefined;
    // Results that are cached under a new version must not be older than it.
    if (newWriterVersion !== writerVersion) connection.endReadTransaction();
    writerVersion = newWriterVersion;
    cache.setVersion(writerVersion);
  };
  const checkVersions = () => {
    if (isCheckedThisTurn) return;
    // Ends the read transaction, so that the reader sees the latest commits.
    connection.endReadTransaction();
    const newReaderVersion = connection.getVersion();
    if (newReaderVersion !== readerVersion) updateVersions(newReaderVersion);
    isCheckedThisTurn = true;
    setImmediate(resetCheck);
  };
  const execute = (statement: Statement, origin?: ClientContext): MaybePromise<StatementResult> => {
    checkVersions();
    return cache.read(statement, connection.execute, origin);
  };
  const getVersion = () => {
    checkVersions();
    return `${writerVersion} ${versions.commitCount}`;
  };
  const openRequestConnection = (origin?: ClientContext): RequestConnection => {
    checkVersions();
    const { recordRead, getReadSet } = cache.trackReads();
    return {
      getVersion,
      verify: checkVersions,
      getReadSet,
      execute(statement) {
        recordRead(statement);
        return execute(statement, origin);
      },
    };
  };
  return { ...connection, execute, openRequestConnection, clearCache: () => cache.clear(), cacheCounts: cache.counts };
}

/** A connection whose reads within one event loop turn see one state of the database. */
export interface ReadSnapshot extends SqliteConnection {
  /**
   * Ends the read transaction, so that later reads see the latest state. Call it before a commit, which later reads of this turn
   * must see, and before checking for commits.
   */
  endReadTransaction(): void;
  /** Returns the `data_version` of the snapshot, which changes with each commit of another connection. */
  getVersion(): unknown;
}

/**
 * Runs the statements of an event loop turn in one read transaction: single statements would each lock and unlock the file,
 * which costs more than most reads.
 */
export function createReadSnapshot(connection: SqliteConnection): ReadSnapshot {
  const { database } = connection;
  const [beginStatement, commitStatement] = [database.prepare('begin'), database.prepare('commit')];
  const queryDataVersion = prepareDataVersion(database);
  let isOpen = false;
  const endTransaction = () => {
    // A disk failure may have ended the transaction.
    if (isOpen && database.isTransaction) commitStatement.run();
    isOpen = false;
  };
  const ensureTransaction = () => {
    if (isOpen) return;
    beginStatement.run();
    isOpen = true;
    setImmediate(endTransaction);
  };
  return {
    ...connection,
    endReadTransaction: endTransaction,
    getVersion() {
      ensureTransaction();
      return queryDataVersion();
    },
    execute(statement): StatementResult {
      ensureTransaction();
      return connection.execute(statement);
    },
  };
}

/** Returns a function that queries the `data_version` of a connection, which changes with each commit of another connection. */
function prepareDataVersion(database: DatabaseSync): () => number {
  const statement = database.prepare('pragma data_version');
  statement.setReturnArrays(true);
  // The type of `get` ignores that the statement returns arrays.
  return () => (statement.get() as unknown as [number])[0];
}
