import type { Dialect as KyselyDialect } from 'kysely';
import type { RequestClient, Waiter } from '#runtime/concurrency-limiter.ts';

/** Number of statements that a cache answered, and of those that it passed on. */
export interface CacheCounts {
  readonly hits: number;
  readonly misses: number;
}

/** The common interface of the two engines, below Kysely. Code outside of `database/` never uses it. */
export interface Engine {
  readonly name: EngineName;
  readonly kysely: Omit<KyselyDialect, 'createDriver'>;
  /** Runs statements outside of transactions; rejects writes. */
  readonly readConnection: Connection;
  /** Opens a read connection for one request, which records the reads of the request. `origin` is the request's client. */
  openRequestConnection(origin?: ClientContext, mode?: ReadMode): RequestConnection;
  /**
   * Acquires the locks, then begins a transaction: transactions with a common lock key run one after another, in all processes.
   * `waiter` identifies the caller that waits in the queue. Fails with `QueueFull` if too many wait, and with `ClientDisconnected` if
   * the client disconnects.
   */
  begin(isolation: Isolation, lockKeys: readonly string[], waiter?: Waiter): Promise<OpenTransaction>;
  /** Returns whether a transaction that failed with this error may succeed when it runs again. */
  isRetryable(error: unknown): boolean;
  /** Clears prepared statements and cached results after a schema change. */
  clearSchemaCaches(): void;
  /** Clears all caches. */
  clearCaches(): void;
  /** Updates the planner's table statistics, if the engine does not do that itself. */
  updateStatistics(): Promise<void>;
  /** Counts of hits and misses of the cache of query results. */
  readonly cacheCounts: CacheCounts;
  /** Returns how the connections are used; null if the engine has no pool of them. */
  getConnections(): ConnectionUse | null;
  readonly backupOperations: BackupOperations;
  close(): Promise<void>;
}

/** The connections of a pool. */
export interface ConnectionUse {
  readonly used: number;
  readonly idle: number;
  /** Number of statements and transactions that wait for a connection. */
  readonly waiting: number;
}

export type EngineName = 'sqlite' | 'postgres';

export type Isolation = 'serializable' | 'read committed';

export interface Statement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  /** Set for a text of several statements, which have no parameters and return no rows. */
  readonly isScript?: boolean;
  /** Set for statements that run often: PostgreSQL caches the plan under this name. */
  readonly name?: string;
}

export type Row = Record<string, unknown>;

export interface StatementResult {
  readonly rows: Row[];
  /** Number of rows inserted, updated or deleted; meaningless for a statement that only reads. */
  readonly affected?: number | undefined;
}

export interface Connection {
  /**
   * Runs a statement. On an error it throws, or its promise rejects. Long statements outside of transactions are interrupted with
   * `ClientDisconnected` when the client of their origin disconnects.
   */
  execute(statement: Statement, origin?: ClientContext): MaybePromise<StatementResult>;
}

/** The client on whose behalf a statement runs. */
export interface ClientContext {
  /** The client's network: networks take turns with their long statements. */
  readonly network: string;
  /** Null: the statement runs to its end. */
  readonly client: RequestClient | null;
  /** The client that transactions wait for. Absent: they wait to the end. */
  readonly writer?: WritingClient;
}

/** The client of a request that may write. */
export interface WritingClient {
  readonly client: RequestClient;
  /** Whether a transaction of the request has been committed. */
  hasCommitted: boolean;
}

/**
 * A value, or a promise of it. The embedded engine returns results synchronously, and most reads of a request are cached: a
 * promise per layer would cost more than the query.
 */
export type MaybePromise<T> = T | Promise<T>;

/**
 * Whether the reads of a request may use cached results before they are verified. `verified`: after the version of the
 * database is known. `optimistic`: immediately; the request must call `verify` before it has effects or is answered, and
 * starts again if that throws `StaleRead`.
 */
export type ReadMode = 'verified' | 'optimistic';

/** Thrown if an optimistic request has used a cached result that is older than the request. */
export class StaleRead extends Error {}

/** A connection for the reads of one request. */
export interface RequestConnection extends Connection {
  /**
   * Returns a value, or a promise of it, that changes with each commit. A read set that is requested later is at least as new as
   * this call.
   */
  getVersion(): unknown;
  /** Ensures that all reads so far are at least as new as the request, and makes later reads wait for the version. */
  verify(): MaybePromise<void>;
  /** Returns everything that was read on this connection so far. */
  getReadSet(): ReadSet;
}

/** The tables that a request has read, and the version of the database. */
export interface ReadSet {
  /** Returns whether the request would read the same now, as of the last known version. */
  isCurrent(): boolean;
}

/** An open transaction. It ends with exactly one commit or rollback, which also releases the connection. */
export interface OpenTransaction extends Connection {
  /**
   * Returns whether the transaction has yielded to other work since the last call, or is waiting now. Absent if its statements
   * wait for another process, so that yielding says nothing.
   */
  hasYieldedSinceLastCall?(): boolean;
  commit(): Promise<void>;
  rollback(): Promise<void>;
}

export type ColumnKind = 'integer' | 'real' | 'boolean' | 'text' | 'bytes';

interface ColumnDefinition {
  readonly name: string;
  readonly kind: ColumnKind;
}

/** A table as the database describes it, so that no list of tables needs maintenance. */
export interface TableDefinition {
  readonly name: string;
  readonly columns: readonly ColumnDefinition[];
  /** Columns of the primary key; empty if there is none. */
  readonly key: readonly string[];
  /** The last assigned id, which is never reused; null if no id was assigned yet, or if the table has no id. */
  readonly lastId: number | null;
}

/** The values of a row in the order of the columns: numbers, booleans, texts, bytes, nulls. */
export type CellValues = readonly unknown[];

/** The engine-specific part of backup and restore. */
export interface BackupOperations {
  /** Opens a consistent snapshot while a server may write. */
  openSnapshot(): Promise<DatabaseSnapshotConnection>;
  /** Blocks ref updates (no ref intent is written or deleted) until the returned function is called. */
  lockRefs(): Promise<() => Promise<void>>;
  /** Begins a transaction in which rows may be inserted before the rows that they refer to. */
  beginRestore(): Promise<OpenTransaction>;
  /** Lists all tables that this connection sees. */
  listTables(connection: Connection): Promise<TableDefinition[]>;
  /** Suspends triggers and foreign keys in a restore transaction; the returned function restores them. */
  suspendConstraints(connection: Connection): Promise<() => Promise<void>>;
  /** Inserts rows with their ids. */
  insert(connection: Connection, table: TableDefinition, rows: readonly CellValues[]): Promise<void>;
  /** Sets the last assigned id of a table; new rows continue from it. */
  setLastId(connection: Connection, table: string, lastId: number): Promise<void>;
  /** Lists the foreign keys. */
  listForeignKeys(connection: Connection): Promise<ForeignKey[]>;
  /** Returns problems that the engine finds in its files, with the index to rebuild if that repairs the problem. */
  checkIntegrity(connection: Connection): Promise<{ readonly problem: string; readonly index: string | null }[]>;
}

/** A foreign key: `columns` of `table` refer to `parentColumns` of `parent`. */
export interface ForeignKey {
  readonly table: string;
  readonly columns: readonly string[];
  readonly parent: string;
  readonly parentColumns: readonly string[];
  /** The effect on the rows when the referenced row is deleted. */
  readonly onDelete: 'cascade' | 'set null' | 'nothing';
}

/** A connection whose statements all see one state of the database. */
export interface DatabaseSnapshotConnection extends Connection {
  /** Streams the rows of a statement in batches. */
  stream(sql: string, kinds: readonly ColumnKind[]): AsyncIterable<readonly CellValues[]>;
  close(): Promise<void>;
}

/** Error for a database that cannot be reached or temporarily rejects work. The request gets status 503; nothing was changed. */
export class DatabaseUnavailable extends Error {
  constructor(cause: unknown) {
    super(`The database is unavailable: ${cause instanceof Error ? cause.message || cause.name : String(cause)}`, {
      cause,
    });
    this.name = 'DatabaseUnavailable';
  }
}
