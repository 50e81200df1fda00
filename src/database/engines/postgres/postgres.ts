import { hash } from 'node:crypto';
import { PostgresAdapter, PostgresIntrospector } from 'kysely';
import pg from 'pg';
import type { DatabaseActivity } from '#database/activity.ts';
import { CommitTracker } from '#database/cache/commit-tracker.ts';
import { createSnapshotTracker } from '#database/cache/snapshot-tracker.ts';
import { loadPostgresCatalog, type TableCatalog, TableVersions } from '#database/cache/table-versions.ts';
import { createBoundedCache } from '#runtime/bounded-cache.ts';
import {
  ClientDisconnected,
  createKeyedLock,
  type KeyedLock,
  type RequestClient,
  type Waiter,
} from '#runtime/concurrency-limiter.ts';
import {
  type Connection,
  DatabaseUnavailable,
  type Engine,
  type Isolation,
  type OpenTransaction,
  type Statement,
  type StatementResult,
} from '../engine.ts';
import { createStatementLimiter, createWaiter, getLongStatementKind } from '../long-statements.ts';
import { AD_HOC_COMPILERS } from '../query-compilers.ts';
import { createPostgresBackupOperations } from './copy.ts';
import { type BatchedStatement, StatementBatch, TYPE_PARSERS } from './statement-batch.ts';

/** Maximum number of names: each connection stores a plan per name. */
const MAX_NAMES = 500;
/** Number of uses of a statement without a name; the next use assigns one. */
const USES_BEFORE_NAMING = 2;
/** Matches a page of another length than 20 rows and one more: page sizes of clients would use up the names. */
const UNUSUAL_PAGE = /\blimit (?!21\b)\d+ offset\b/;
/** Maximum number of statements without a name whose uses are counted. */
const MAX_COUNTED_STATEMENTS = 2_000;

/**
 * Returns a function that assigns names to frequent statements, which PostgreSQL then parses and plans once per connection. It
 * returns undefined for other statements. Statements with `*` get no name: their plans break when another process migrates.
 */
function createStatementNames(): (sql: string) => string | undefined {
  const names = new Map<string, string>();
  const useCountsByStatement = createBoundedCache<number>(MAX_COUNTED_STATEMENTS);
  return (sql) => {
    const existingName = names.get(sql);
    if (existingName !== undefined || names.size === MAX_NAMES) return existingName;
    if (sql.includes('*') || UNUSUAL_PAGE.test(sql)) return undefined;
    const useCount = (useCountsByStatement.get(sql) ?? 0) + 1;
    useCountsByStatement.set(sql, useCount);
    if (useCount <= USES_BEFORE_NAMING) return undefined;
    const name = `hearth_text_${names.size + 1}`;
    names.set(sql, name);
    useCountsByStatement.delete(sql);
    return name;
  };
}

interface PostgresOptions {
  readonly url: string;
  readonly connections: number;
  readonly applicationName: string;
  /** Called when an idle connection breaks. */
  readonly onLost: (error: Error) => void;
  /** Counts statements outside of transactions. */
  readonly activity: DatabaseActivity;
}

/** The name by which PostgreSQL lists the sessions of servers. */
export const SERVER_APPLICATION_NAME = 'hearth';

/** Milliseconds that a statement waits for a free connection. */
const CONNECT_TIMEOUT_MS = 10_000;

/** Maximum number of transactions that wait for one lock key in this process. */
const QUEUE_LIMIT = { maxWaiting: 1_000, retryAfterSeconds: 5 };

/**
 * Statements take milliseconds, so that JIT compilation costs more than it saves. Random reads come from memory or an SSD: with
 * the default random_page_cost of 4, PostgreSQL would scan all projects instead of looking up a hundred.
 */
const SETTINGS = '-c default_transaction_read_only=on -c jit=off -c random_page_cost=1.1';

/** Read statements time out as on SQLite, because each occupies one of few connections. */
const READ_SETTINGS = '-c statement_timeout=30s';

/** Opens the PostgreSQL engine with a connection pool. Sessions are read-only outside of transactions. */
export function openPostgres({ url, connections, applicationName, onLost, activity }: PostgresOptions): Engine {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: applicationName,
    max: connections,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    options: `${SETTINGS} ${READ_SETTINGS}`,
    types: TYPE_PARSERS,
  });
  /** Set while the pool closes: errors of connections are expected then, and are not logged. */
  let isClosing = false;
  pool.on('error', (error) => isClosing || onLost(error));
  // The error of a connection in use also rejects its statement. Without a listener it would end the process.
  pool.on('connect', (client) => client.on('error', () => {}));
  const keyedLock = createKeyedLock(QUEUE_LIMIT);
  const readConnection = createReadConnection(pool, connections, activity);
  let catalog: TableCatalog | undefined;
  const versions = new TableVersions(() => catalog);
  const commitTracker = new CommitTracker(versions);
  const loadCatalog = async () => {
    catalog = await loadPostgresCatalog(readConnection);
  };
  const ensureCatalog = () => (catalog === undefined ? loadCatalog() : undefined);
  const snapshotTracker = createSnapshotTracker(readConnection, { ownCommits: commitTracker, versions, ensureCatalog });
  return {
    name: 'postgres',
    kysely: {
      createAdapter: () => new PostgresAdapter(),
      createQueryCompiler: AD_HOC_COMPILERS.postgres,
      createIntrospector: (db) => new PostgresIntrospector(db),
    },
    readConnection,
    openRequestConnection: snapshotTracker.openRequestConnection,
    async begin(isolation, lockKeys, waiter) {
      const transaction = await beginTransaction(pool, isolation, {
        lockKeys,
        keyedLock,
        waiter,
        ownCommits: commitTracker,
        versions,
      });
      // Also after an error: the transaction may have been committed before the connection broke.
      return { ...transaction, commit: () => transaction.commit().finally(snapshotTracker.recordCommit) };
    },
    cacheCounts: snapshotTracker.cacheCounts,
    getConnections: () => ({
      used: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    backupOperations: createPostgresBackupOperations(
      async () => {
        const client = new pg.Client({
          connectionString: url,
          application_name: applicationName,
          options: SETTINGS,
          types: TYPE_PARSERS,
        });
        client.on('error', (error) => isClosing || onLost(error));
        await client.connect().catch((error) => {
          throw new DatabaseUnavailable(error);
        });
        return client;
      },
      () => beginTransaction(pool, 'read committed', { lockKeys: [], keyedLock, ownCommits: commitTracker, versions }),
    ),
    isRetryable: isSerializationFailure,
    clearSchemaCaches() {
      catalog = undefined;
      versions.clearCatalog();
    },
    clearCaches: snapshotTracker.clear,
    // Autovacuum updates the statistics of PostgreSQL.
    async updateStatistics() {},
    async close() {
      isClosing = true;
      await pool.end();
    },
  };
}

/** Shares of the connections for long statements: at most seven of ten, so that other statements always find one. */
const LIST_SHARE = 0.5;
const SCAN_SHARE = 0.2;

/** Creates a connection that runs each statement on a free connection of the pool and limits the number of long ones. */
function createReadConnection(pool: pg.Pool, connections: number, activity: DatabaseActivity): Connection {
  const createLimiter = (share: number) => createStatementLimiter(Math.max(1, Math.floor(connections * share)));
  const limiters = { list: createLimiter(LIST_SHARE), scan: createLimiter(SCAN_SHARE) };
  const runBatched = batchStatements(pool);
  return {
    execute(statement, origin) {
      const kind = getLongStatementKind(statement);
      if (kind === null) return activity.measure('read', () => runBatched(statement));
      const runLong = () => activity.measure(kind, () => runReadOnly(pool, statement, origin?.client));
      return limiters[kind].run(runLong, createWaiter(origin));
    },
  };
}

/** Maximum number of statements that one connection runs one after another. */
const MAX_BATCH_LENGTH = 16;

/**
 * Returns a function that runs short statements. Those of one turn of the event loop are sent at its end, in batches; the same
 * statement object runs once.
 */
function batchStatements(pool: pg.Pool): (statement: Statement) => Promise<StatementResult> {
  let collected = new Map<Statement, BatchedStatement & { readonly result: Promise<StatementResult> }>();
  const sendCollected = () => {
    const statements = [...collected.values()];
    collected = new Map();
    for (let from = 0; from < statements.length; from += MAX_BATCH_LENGTH)
      void sendBatch(pool, statements.slice(from, from + MAX_BATCH_LENGTH));
  };
  return (statement) => {
    const same = collected.get(statement);
    if (same !== undefined) return same.result;
    if (collected.size === 0) setImmediate(sendCollected);
    const { promise: result, resolve, reject } = Promise.withResolvers<StatementResult>();
    collected.set(statement, { statement, resolve, reject, result });
    return result;
  };
}

/** Runs a batch on a free connection. Statements that it skips, because another one fails, run in a batch of their own. */
async function sendBatch(pool: pg.Pool, batch: readonly BatchedStatement[]): Promise<void> {
  try {
    const client = await connect(pool);
    const { skipped, error } = await runBatch(client, batch);
    client.release(error instanceof DatabaseUnavailable);
    if (skipped.length > 0) void sendBatch(pool, skipped);
  } catch (error) {
    for (const { reject } of batch) reject(error);
  }
}

/** Runs a batch. Returns the error of the statement that failed, and the statements after it. */
function runBatch(
  client: pg.PoolClient,
  batch: readonly BatchedStatement[],
): Promise<{ readonly error?: unknown; readonly skipped: readonly BatchedStatement[] }> {
  return new Promise((resolve) => {
    let error: unknown;
    const statements = batch.map(({ statement, reject, ...rest }) => ({
      ...rest,
      statement: withName(statement),
      reject(cause: unknown) {
        error = translateError(cause);
        reject(error);
      },
    }));
    client.query(new StatementBatch(statements, (skipped) => resolve({ error, skipped })));
  });
}

/** Runs a read statement, which is canceled when the client disconnects. */
async function runReadOnly(
  pool: pg.Pool,
  statement: Statement,
  client?: RequestClient | null,
): Promise<StatementResult> {
  const connection = await connect(pool);
  let isBroken = false;
  let cancellation: Promise<unknown> | undefined;
  const cancel = () => {
    const { processID } = connection as pg.PoolClient & { readonly processID: number };
    cancellation = cancelStatement(pool.options, processID).catch(() => {});
  };
  try {
    if (client?.isDisconnected) throw new ClientDisconnected();
    client?.signal.addEventListener('abort', cancel, { once: true });
    return await run(connection, statement);
  } catch (error) {
    if (client?.isDisconnected) throw new ClientDisconnected();
    isBroken = error instanceof DatabaseUnavailable;
    throw error;
  } finally {
    client?.signal.removeEventListener('abort', cancel);
    // A cancellation that arrives late could hit the next statement of this connection.
    await cancellation;
    connection.release(isBroken);
  }
}

/** Cancels the statement of a connection, through a connection of its own: all of the pool may be busy with such statements. */
async function cancelStatement(options: pg.ClientConfig, processID: number): Promise<void> {
  const client = new pg.Client(options);
  // An error of the connection also rejects the query.
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('select pg_cancel_backend($1)', [processID]);
  } finally {
    await client.end();
  }
}

/**
 * Begins a transaction that holds its lock keys. Transactions of this process wait in memory, without a connection; those of
 * other processes wait for session-level advisory locks. The transaction begins after its locks are acquired, so that its
 * snapshot includes the commits of earlier holders.
 */
async function beginTransaction(
  pool: pg.Pool,
  isolation: Isolation,
  options: LockOptions & CommitRecorders,
): Promise<OpenTransaction> {
  const { lockKeys } = options;
  const releaseLocks = await acquireLocks(options);
  try {
    const client = await connect(pool);
    if (lockKeys.length > 0) {
      const locks = lockKeys.map((lockKey) => `pg_advisory_lock(${toAdvisoryLockId(lockKey)})`);
      await runOrDiscardClient(client, `set statement_timeout = 0; select ${locks.join()}`);
    }
    return await beginOnClient(client, { isolation, ...options }, async (isBroken) => {
      const unlocks = lockKeys.map((lockKey) => `pg_advisory_unlock(${toAdvisoryLockId(lockKey)})`);
      // The end of a broken session releases its locks.
      if (!isBroken && lockKeys.length > 0)
        await client.query(`select ${unlocks.join()}; reset statement_timeout`).catch(() => client.end());
      releaseLocks();
    });
  } catch (error) {
    releaseLocks();
    throw error;
  }
}

/** The trackers that record which tables transactions write. */
interface CommitRecorders {
  readonly ownCommits: CommitTracker;
  readonly versions: TableVersions;
}

interface LockOptions {
  readonly lockKeys: readonly string[];
  readonly keyedLock: KeyedLock;
  readonly waiter?: Waiter | undefined;
}

/** Acquires all lock keys in this process. Returns the function that releases them. */
async function acquireLocks({ lockKeys, keyedLock: withKeyedLock, waiter }: LockOptions): Promise<() => void> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  for (const lockKey of lockKeys) {
    const { promise: acquired, resolve: onAcquired } = Promise.withResolvers<void>();
    const lockPromise = withKeyedLock(
      lockKey,
      async () => {
        onAcquired();
        await released;
      },
      waiter,
    );
    try {
      await Promise.race([acquired, lockPromise]);
    } catch (error) {
      release();
      throw error;
    }
  }
  return release;
}

/** Converts a lock key to the 64-bit id of a PostgreSQL advisory lock. */
function toAdvisoryLockId(lockKey: string): bigint {
  return BigInt.asIntN(64, BigInt(`0x${hash('sha1', `hearth ${lockKey}`, 'hex').slice(0, 16)}`));
}

/** Called after the end of the transaction; `isBroken`: its session will be discarded. */
type OnEnded = (isBroken: boolean) => Promise<void>;

interface BeginOnClientOptions extends CommitRecorders {
  readonly isolation: Isolation;
}

/** Begins a transaction on this client, which its end returns to the pool. */
async function beginOnClient(
  client: pg.PoolClient,
  { isolation, ownCommits, versions }: BeginOnClientOptions,
  onEnded: OnEnded,
) {
  /** The tables that the transaction may have written; null if unknown. */
  let changedTables: Set<string> | null = new Set();
  let hasFailed = false;
  const end = async (sql: 'commit' | 'rollback') => {
    let isBroken = false;
    const { promise: transactionNumber, resolve: resolveTransactionNumber } = Promise.withResolvers<number | null>();
    // A rollback changes no table.
    const trackedCommit = ownCommits.trackTransaction(sql === 'commit' ? changedTables : new Set(), transactionNumber);
    try {
      const { command, number } = await endTransaction(client, sql, hasFailed);
      resolveTransactionNumber(number);
      return command;
    } catch (error) {
      const translatedError = translateError(error);
      // A commit that fails with a conflict has ended the transaction; after other errors the session is discarded.
      isBroken = sql === 'rollback' || translatedError instanceof DatabaseUnavailable;
      throw translatedError;
    } finally {
      resolveTransactionNumber(null);
      await trackedCommit;
      await onEnded(isBroken);
      client.release(isBroken);
    }
  };
  await runOrDiscardClient(
    client,
    `start transaction isolation level ${isolation} read write; set local statement_timeout = 0`,
  );
  return {
    async execute(statement: Statement) {
      try {
        const result = await run(client, statement);
        if (result.affected !== 0) changedTables = addTables(changedTables, versions.findChangedTables(statement.sql));
        return result;
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    },
    async commit() {
      // After a failed statement PostgreSQL answers COMMIT with ROLLBACK, and no error.
      if ((await end('commit')) === 'ROLLBACK') throw new Error('The transaction was rolled back by PostgreSQL');
    },
    async rollback() {
      await end('rollback');
    },
  };
}

/** Adds tables to the set. Returns null if either side is unknown (null). */
function addTables(changedTables: Set<string> | null, addedTables: readonly string[] | null): Set<string> | null {
  if (changedTables === null || addedTables === null) return null;
  for (const table of addedTables) changedTables.add(table);
  return changedTables;
}

/**
 * Ends a transaction. Returns the command that PostgreSQL executed, and the number of the transaction, read in the same round trip.
 * The number is null if the transaction wrote nothing, or if it has failed and cannot run further queries.
 */
async function endTransaction(client: pg.PoolClient, sql: 'commit' | 'rollback', hasFailed: boolean) {
  if (hasFailed) return { command: (await client.query(sql)).command, number: null };
  const text = `select pg_current_xact_id_if_assigned()::text as number; ${sql}`;
  const [numberResult, endResult] = (await client.query(text)) as unknown as [
    pg.QueryResult<{ number: string | null }>,
    pg.QueryResult,
  ];
  const number = numberResult.rows[0]?.number ?? null;
  return { command: endResult.command, number: number === null ? null : Number(number) };
}

/** Runs statements that prepare a transaction. Discards the client if they fail. */
async function runOrDiscardClient(client: pg.PoolClient, sql: string): Promise<void> {
  try {
    await client.query(sql);
  } catch (error) {
    client.release(true);
    throw translateError(error);
  }
}

async function connect(pool: pg.Pool): Promise<pg.PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    throw new DatabaseUnavailable(error);
  }
}

const getStatementName = createStatementNames();

/** Returns the statement with the name under which connections cache its plan. */
function withName(statement: Statement): Statement {
  // Long statements have no cached plan: the best index depends on the parameter values.
  if (statement.name !== undefined || getLongStatementKind(statement) !== null) return statement;
  const name = getStatementName(statement.sql);
  return name === undefined ? statement : { ...statement, name };
}

async function run(client: pg.PoolClient, statement: Statement): Promise<StatementResult> {
  if (!statement.isScript)
    return new Promise((resolve, reject) => void runBatch(client, [{ statement, resolve, reject }]));
  try {
    await client.query(statement.sql);
    return { rows: [] };
  } catch (error) {
    throw translateError(error);
  }
}

const SERIALIZATION_FAILURE = '40001';
const DEADLOCK = '40P01';

function isSerializationFailure(error: unknown): boolean {
  const code = getSqlState(error);
  return code === SERIALIZATION_FAILURE || code === DEADLOCK;
}

function getSqlState(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

/** SQLSTATE of connection errors (08), insufficient resources (53), operator intervention (57P) and timeouts (57014). */
const UNAVAILABLE_SQLSTATE = /^(08|53|57P|57014)/;

/** Socket errors of Node, and errors of `pg` about lost connections, which have no SQLSTATE. */
const SOCKET_ERROR_CODE = /^E[A-Z]+$/;
const CONNECTION_LOST_MESSAGE = /Connection terminated|Client has encountered a connection error|not queryable/;

/** Returns a DatabaseUnavailable error if the server or the connection failed, else the same error. */
function translateError(error: unknown): unknown {
  const code = getSqlState(error);
  if (code === undefined) {
    return error instanceof Error && CONNECTION_LOST_MESSAGE.test(error.message)
      ? new DatabaseUnavailable(error)
      : error;
  }
  return UNAVAILABLE_SQLSTATE.test(code) || SOCKET_ERROR_CODE.test(code) ? new DatabaseUnavailable(error) : error;
}
