import { hash } from 'node:crypto';
import { PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import pg from 'pg';
import { CommitTracker } from '#database/cache/commit-tracker.ts';
import { createSnapshotTracker } from '#database/cache/snapshot-tracker.ts';
import { loadPostgresCatalog, type TableCatalog } from '#database/cache/table-catalog.ts';
import { TableVersions } from '#database/cache/table-versions.ts';
import {
  ClientDisconnected,
  createKeyedLock,
  type KeyedLock,
  type RequestClient,
  type Waiter,
} from '#runtime/concurrency-limiter.ts';
import type { Connection, Engine, Isolation, OpenTransaction, Row, Statement, StatementResult } from '../engine.ts';
import { createStatementLimiter, createWaiter, longStatementKind } from '../long-statements.ts';
import { DatabaseUnavailable } from '../unavailable.ts';
import { createPostgresCopyOperations } from './copy.ts';
import { createStatementNames } from './statement-names.ts';

interface PostgresOptions {
  readonly url: string;
  readonly connections: number;
  /** Called when an idle connection breaks. */
  readonly onLost: (error: Error) => void;
}

/** Milliseconds that a statement waits for a free connection. */
const CONNECT_TIMEOUT_MS = 10_000;

/** Maximum number of transactions that wait for one lock key in this process. */
const QUEUE_LIMIT = { maxWaiting: 1_000, retryAfterSeconds: 5 };

const INT8 = 20;
const NUMERIC = 1700;
const TEXT_TYPE = 25;

/** Parses int8 (ids, counts) and numeric (sums) as numbers; ids stay far below 2^53. */
const types = {
  getTypeParser(id: number, format?: 'text' | 'binary') {
    if (id === INT8 || id === NUMERIC) return Number;
    return pg.types.getTypeParser(format === 'binary' ? TEXT_TYPE : id, 'text');
  },
};

/**
 * Statements take milliseconds, so that JIT compilation costs more than it saves. Random reads come from memory or an SSD: with
 * the default random_page_cost of 4, PostgreSQL would scan all projects instead of looking up a hundred.
 */
const SETTINGS = '-c default_transaction_read_only=on -c jit=off -c random_page_cost=1.1';

/** Read statements time out as on SQLite, because each occupies one of few connections. */
const READ_SETTINGS = '-c statement_timeout=30s';

/** Opens the PostgreSQL engine with a connection pool. Sessions are read-only outside of transactions. */
export function openPostgres({ url, connections, onLost }: PostgresOptions): Engine {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'hearth',
    max: connections,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    options: `${SETTINGS} ${READ_SETTINGS}`,
    types,
  });
  // Errors of connections that are being closed are not logged.
  let isClosing = false;
  pool.on('error', (error) => isClosing || onLost(error));
  const keyedLock = createKeyedLock(QUEUE_LIMIT);
  const reading = createReadConnection(pool, connections);
  let tables: TableCatalog | undefined;
  const versions = new TableVersions(() => tables);
  const commits = new CommitTracker(versions);
  const loadCatalog = async () => {
    tables = await loadPostgresCatalog(reading);
  };
  const ensureCatalog = () => (tables === undefined ? loadCatalog() : undefined);
  const snapshots = createSnapshotTracker(reading, { ownCommits: commits, versions, ensureCatalog });
  return {
    name: 'postgres',
    kysely: {
      createAdapter: () => new PostgresAdapter(),
      createQueryCompiler: () => new PostgresQueryCompiler(),
      createIntrospector: (db) => new PostgresIntrospector(db),
    },
    readConnection: reading,
    openRequestConnection: snapshots.openRequestConnection,
    async begin(isolation, lockKeys, waiter) {
      const transaction = await beginTransaction(pool, isolation, {
        lockKeys,
        keyedLock,
        waiter,
        ownCommits: commits,
        versions,
      });
      return { ...transaction, commit: () => transaction.commit().finally(snapshots.recordCommit) };
    },
    copyOperations: createPostgresCopyOperations(
      async () => {
        const client = new pg.Client({ connectionString: url, application_name: 'hearth', options: SETTINGS, types });
        client.on('error', (error) => isClosing || onLost(error));
        await client.connect().catch((error) => {
          throw new DatabaseUnavailable(error);
        });
        return client;
      },
      () => beginTransaction(pool, 'read committed', { lockKeys: [], keyedLock, ownCommits: commits, versions }),
    ),
    isRetryable: isSerializationFailure,
    forgetSchema() {
      tables = undefined;
      versions.schemaChanged();
    },
    clearCaches: snapshots.clear,
    // Autovacuum updates the statistics of PostgreSQL.
    async updateStatistics() {},
    async close() {
      isClosing = true;
      await pool.end();
    },
  };
}

/** Long statements get at most seven of ten connections, so that others always find one. */
const LIST_SHARE = 0.5;
const SCAN_SHARE = 0.2;

function createReadConnection(pool: pg.Pool, connections: number): Connection {
  const limiter = (share: number) => createStatementLimiter(Math.max(1, Math.floor(connections * share)));
  const limiters = { list: limiter(LIST_SHARE), scan: limiter(SCAN_SHARE) };
  return {
    execute(statement, origin) {
      const kind = longStatementKind(statement);
      if (kind === null) return runReadOnly(pool, statement);
      return limiters[kind].run(() => runReadOnly(pool, statement, origin?.client), createWaiter(origin));
    },
  };
}

/** Runs a read statement, which is canceled when the client disconnects. */
async function runReadOnly(
  pool: pg.Pool,
  statement: Statement,
  client?: RequestClient | null,
): Promise<StatementResult> {
  const connection = await connect(pool);
  let broken = false;
  let cancellation: Promise<unknown> | undefined;
  const cancel = () => {
    const { processID } = connection as pg.PoolClient & { readonly processID: number };
    cancellation = pool.query('select pg_cancel_backend($1)', [processID]).catch(() => {});
  };
  try {
    if (client?.isDisconnected) throw new ClientDisconnected();
    client?.signal.addEventListener('abort', cancel, { once: true });
    return await run(connection, statement);
  } catch (error) {
    if (client?.isDisconnected) throw new ClientDisconnected();
    broken = error instanceof DatabaseUnavailable;
    throw error;
  } finally {
    client?.signal.removeEventListener('abort', cancel);
    // Otherwise the next statement of this connection could be canceled.
    await cancellation;
    connection.release(broken);
  }
}

/**
 * Begins a transaction that holds its lock keys. Transactions of this process wait without a connection; those of other
 * processes wait at session locks. Locks are acquired before the transaction begins, because its snapshot must not be older.
 */
async function beginTransaction(
  pool: pg.Pool,
  isolation: Isolation,
  request: LockRequest & CommitRecorders,
): Promise<OpenTransaction> {
  const { lockKeys } = request;
  const releaseLocks = await acquireLocks(request);
  try {
    const client = await connect(pool);
    if (lockKeys.length > 0) {
      const locks = lockKeys.map((lockKey) => `pg_advisory_lock(${toAdvisoryLockId(lockKey)})`);
      await runOrDiscardClient(client, `set statement_timeout = 0; select ${locks}`);
    }
    return await beginOnClient(client, { isolation, ...request }, async (broken) => {
      const unlocks = lockKeys.map((lockKey) => `pg_advisory_unlock(${toAdvisoryLockId(lockKey)})`);
      if (!broken && lockKeys.length > 0)
        await client.query(`select ${unlocks}; reset statement_timeout`).catch(() => client.end());
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

interface LockRequest {
  readonly lockKeys: readonly string[];
  readonly keyedLock: KeyedLock;
  readonly waiter?: Waiter | undefined;
}

/** Acquires all lock keys in this process. Returns the function that releases them. */
async function acquireLocks({ lockKeys, keyedLock: withKeyedLock, waiter }: LockRequest): Promise<() => void> {
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

/** Called after the end of the transaction; `broken`: its session will be discarded. */
type OnEnded = (broken: boolean) => Promise<void>;

interface BeginOnClientOptions extends CommitRecorders {
  readonly isolation: Isolation;
}

async function beginOnClient(
  client: pg.PoolClient,
  { isolation, ownCommits, versions }: BeginOnClientOptions,
  onEnded: OnEnded,
) {
  /** The tables that the transaction may have written; null if unknown. */
  let changedTables: Set<string> | null = new Set();
  let hasFailed = false;
  const end = async (sql: 'commit' | 'rollback') => {
    let broken = false;
    const { promise: transactionNumber, resolve: resolveTransactionNumber } = Promise.withResolvers<number | null>();
    const trackedCommit = ownCommits.trackCommit(sql === 'commit' ? changedTables : new Set(), transactionNumber);
    try {
      const { command, transaction } = await endTransaction(client, sql, hasFailed);
      resolveTransactionNumber(transaction);
      return command;
    } catch (error) {
      const translatedError = translateError(error);
      // A commit that fails with a conflict has ended the transaction; after other errors the session is discarded.
      broken = sql === 'rollback' || translatedError instanceof DatabaseUnavailable;
      throw translatedError;
    } finally {
      resolveTransactionNumber(null);
      await trackedCommit;
      await onEnded(broken);
      client.release(broken);
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
        if (result.affected !== 0) changedTables = addTables(changedTables, versions.tablesChangedBy(statement.sql));
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

/** Ends a transaction and reads its number in the same round trip; a failed transaction cannot run further queries. */
async function endTransaction(client: pg.PoolClient, sql: 'commit' | 'rollback', hasFailed: boolean) {
  if (hasFailed) return { command: (await client.query(sql)).command, transaction: null };
  const text = `select pg_current_xact_id_if_assigned()::text as number; ${sql}`;
  const [transactionNumber, end] = (await client.query(text)) as unknown as [
    pg.QueryResult<{ number: string | null }>,
    pg.QueryResult,
  ];
  const number = transactionNumber.rows[0]?.number ?? null;
  return { command: end.command, transaction: number === null ? null : Number(number) };
}

/** Runs the first statement of a transaction. Discards the client if it fails. */
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

const WRITE_COMMANDS = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

const getStatementName = createStatementNames();

async function run(client: pg.PoolClient, statement: Statement): Promise<StatementResult> {
  const { sql, parameters } = statement;
  // Long statements have no cached plan: the best index depends on the parameter values.
  const name = statement.name ?? (longStatementKind(statement) === null ? getStatementName(sql) : undefined);
  try {
    const result = await client.query<Row>({ text: sql, values: parameters as unknown[], name });
    return {
      rows: result.rows ?? [],
      affected: WRITE_COMMANDS.has(result.command) ? (result.rowCount ?? 0) : undefined,
    };
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

function translateError(error: unknown): unknown {
  const code = getSqlState(error);
  if (code === undefined) {
    return error instanceof Error && CONNECTION_LOST_MESSAGE.test(error.message)
      ? new DatabaseUnavailable(error)
      : error;
  }
  return UNAVAILABLE_SQLSTATE.test(code) || SOCKET_ERROR_CODE.test(code) ? new DatabaseUnavailable(error) : error;
}
