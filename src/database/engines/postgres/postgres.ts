import { hash } from 'node:crypto';
import { PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import pg from 'pg';
import { OwnCommits } from '#database/cache/commit-tracker.ts';
import { followSnapshots } from '#database/cache/snapshot-tracker.ts';
import { type TablesKnown, tablesOfPostgres } from '#database/cache/table-catalog.ts';
import { TableVersions } from '#database/cache/table-versions.ts';
import { type TurnsPerKey, turnsPerKey, type Waiter } from '#runtime/concurrency-limiter.ts';
import type { Connection, Engine, Isolation, OpenTransaction, Row, Statement, StatementResult } from '../engine.ts';
import { isLong } from '../long-statements.ts';
import { DatabaseUnavailable } from '../unavailable.ts';
import { postgresCopying } from './copy.ts';
import { statementNames } from './statement-names.ts';

interface PostgresOptions {
  readonly url: string;
  readonly connections: number;
  /** Told of connections that break while nobody uses them. */
  readonly lost: (error: Error) => void;
}

/** How long a statement waits for a free connection, in milliseconds. */
const PATIENCE = 10_000;

/** Transactions of one turn that wait for it in this process. */
const LINE = { waiting: 1_000, retryAfter: 5 };

const INT8 = 20;
const NUMERIC = 1700;
const TEXT_TYPE = 25;

/** int8 (ids, counts) and numeric (sums of them) come back as numbers; our ids stay far below 2^53. */
const types = {
  getTypeParser(id: number, format?: 'text' | 'binary') {
    if (id === INT8 || id === NUMERIC) return Number;
    return pg.types.getTypeParser(format === 'binary' ? TEXT_TYPE : id, 'text');
  },
};

/**
 * What is asked here takes milliseconds: to compile it first takes longer than it does. And rows that an index names are in
 * memory or on a disk without a head, not four times as far away as the next one, which makes PostgreSQL read all projects
 * rather than look up a hundred.
 */
const SETTINGS = '-c default_transaction_read_only=on -c jit=off -c random_page_cost=1.1';

/** What only reads ends after so long, as it does on SQLite, whoever still waits for it: it has one of few connections. */
const READING = '-c statement_timeout=30s';

/** PostgreSQL through a pool. Outside of transactions the sessions are read-only, so that a Reader can't write. */
export function openPostgres({ url, connections, lost }: PostgresOptions): Engine {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'hearth',
    max: connections,
    connectionTimeoutMillis: PATIENCE,
    options: `${SETTINGS} ${READING}`,
    types,
  });
  // What ends a connection that is being closed anyway is no loss.
  let closing = false;
  pool.on('error', (error) => closing || lost(error));
  const inTurn = turnsPerKey(LINE);
  const reading: Connection = { execute: (statement) => runReading(pool, statement) };
  let tables: TablesKnown | undefined;
  const versions = new TableVersions(() => tables);
  const own = new OwnCommits(versions);
  const look = async () => {
    tables = await tablesOfPostgres(reading);
  };
  const ready = () => (tables === undefined ? look() : undefined);
  const snapshots = followSnapshots(reading, { own, versions, ready });
  return {
    name: 'postgres',
    kysely: {
      createAdapter: () => new PostgresAdapter(),
      createQueryCompiler: () => new PostgresQueryCompiler(),
      createIntrospector: (db) => new PostgresIntrospector(db),
    },
    reading,
    readingNow: snapshots.connection,
    async begin(isolation, turns, waiter) {
      const open = await begin(pool, isolation, { turns, inTurn, waiter, own, versions });
      return { ...open, commit: () => open.commit().finally(snapshots.committed) };
    },
    copying: postgresCopying(
      async () => {
        const client = new pg.Client({ connectionString: url, application_name: 'hearth', options: SETTINGS, types });
        client.on('error', (error) => closing || lost(error));
        await client.connect().catch((error) => {
          throw new DatabaseUnavailable(error);
        });
        return client;
      },
      () => begin(pool, 'read committed', { turns: [], inTurn, own, versions }),
    ),
    mayRunAgain: isSerializationFailure,
    schemaChanged() {
      tables = undefined;
      versions.schemaChanged();
    },
    forget: snapshots.forget,
    // Its autovacuum does.
    async gatherStatistics() {},
    async close() {
      closing = true;
      await pool.end();
    },
  };
}

async function runReading(pool: pg.Pool, statement: Statement): Promise<StatementResult> {
  const client = await connect(pool);
  let broken = false;
  try {
    return await run(client, statement);
  } catch (error) {
    broken = error instanceof DatabaseUnavailable;
    throw error;
  } finally {
    client.release(broken);
  }
}

/**
 * A transaction that runs beside no other one of its turns: those of this process wait without a connection, those of
 * others at locks of the session, which are taken before the transaction begins: its snapshot must not be older.
 */
async function begin(pool: pg.Pool, isolation: Isolation, entering: Entering & Writing): Promise<OpenTransaction> {
  const { turns } = entering;
  const leave = await enterAll(entering);
  try {
    const client = await connect(pool);
    if (turns.length > 0) {
      const locks = turns.map((turn) => `pg_advisory_lock(${numberOf(turn)})`);
      await start(client, `set statement_timeout = 0; select ${locks}`);
    }
    return await beginOn(client, { isolation, ...entering }, async (broken) => {
      const unlocks = turns.map((turn) => `pg_advisory_unlock(${numberOf(turn)})`);
      if (!broken && turns.length > 0)
        await client.query(`select ${unlocks}; reset statement_timeout`).catch(() => client.end());
      leave();
    });
  } catch (error) {
    leave();
    throw error;
  }
}

/** Whom transactions tell what they write. */
interface Writing {
  readonly own: OwnCommits;
  readonly versions: TableVersions;
}

interface Entering {
  readonly turns: readonly string[];
  readonly inTurn: TurnsPerKey;
  readonly waiter?: Waiter | undefined;
}

/** Resolves when this process has its turn of each key, which it keeps until the function is called. */
async function enterAll({ turns, inTurn, waiter }: Entering): Promise<() => void> {
  const { promise: left, resolve: leave } = Promise.withResolvers<void>();
  for (const turn of turns) {
    const { promise: entered, resolve: enter } = Promise.withResolvers<void>();
    const keeping = inTurn(
      turn,
      async () => {
        enter();
        await left;
      },
      waiter,
    );
    try {
      await Promise.race([entered, keeping]);
    } catch (error) {
      leave();
      throw error;
    }
  }
  return leave;
}

/** PostgreSQL's advisory locks have numbers of 64 bits for names. */
function numberOf(turn: string): bigint {
  return BigInt.asIntN(64, BigInt(`0x${hash('sha1', `hearth ${turn}`, 'hex').slice(0, 16)}`));
}

/** Told once the transaction is over; `broken`: its session will be thrown away. */
type Ended = (broken: boolean) => Promise<void>;

interface Begun extends Writing {
  readonly isolation: Isolation;
}

async function beginOn(client: pg.PoolClient, { isolation, own, versions }: Begun, ended: Ended) {
  /** What it may have written; null: nobody knows. */
  let changed: Set<string> | null = new Set();
  let failed = false;
  const end = async (sql: 'commit' | 'rollback') => {
    let broken = false;
    const { promise: number, resolve: tellNumber } = Promise.withResolvers<number | null>();
    const told = own.ends(sql === 'commit' ? changed : new Set(), number);
    try {
      const { command, transaction } = await endOn(client, sql, failed);
      tellNumber(transaction);
      return command;
    } catch (error) {
      const explained = explain(error);
      // A commit that meets a conflict has ended the transaction; after other trouble the session is thrown away.
      broken = sql === 'rollback' || explained instanceof DatabaseUnavailable;
      throw explained;
    } finally {
      tellNumber(null);
      await told;
      await ended(broken);
      client.release(broken);
    }
  };
  await start(client, `start transaction isolation level ${isolation} read write; set local statement_timeout = 0`);
  return {
    async execute(statement: Statement) {
      try {
        const result = await run(client, statement);
        if (result.affected !== 0) changed = withTables(changed, versions.changedBy(statement.sql));
        return result;
      } catch (error) {
        failed = true;
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

function withTables(changed: Set<string> | null, more: readonly string[] | null): Set<string> | null {
  if (changed === null || more === null) return null;
  for (const table of more) changed.add(table);
  return changed;
}

/** The number of a transaction is asked for together with its end; one that has failed tells nothing any more. */
async function endOn(client: pg.PoolClient, sql: 'commit' | 'rollback', failed: boolean) {
  if (failed) return { command: (await client.query(sql)).command, transaction: null };
  const text = `select pg_current_xact_id_if_assigned()::text as number; ${sql}`;
  const [asked, end] = (await client.query(text)) as unknown as [
    pg.QueryResult<{ number: string | null }>,
    pg.QueryResult,
  ];
  const number = asked.rows[0]?.number ?? null;
  return { command: end.command, transaction: number === null ? null : Number(number) };
}

async function start(client: pg.PoolClient, sql: string): Promise<void> {
  try {
    await client.query(sql);
  } catch (error) {
    client.release(true);
    throw explain(error);
  }
}

async function connect(pool: pg.Pool): Promise<pg.PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    throw new DatabaseUnavailable(error);
  }
}

const WRITING = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

const nameOf = statementNames();

async function run(client: pg.PoolClient, statement: Statement): Promise<StatementResult> {
  const { sql, parameters } = statement;
  // A long one is planned for the values that it has: how many rows these have says which index is worth it.
  const name = statement.name ?? (isLong(statement) ? undefined : nameOf(sql));
  try {
    const result = await client.query<Row>({ text: sql, values: parameters as unknown[], name });
    return { rows: result.rows ?? [], affected: WRITING.has(result.command) ? (result.rowCount ?? 0) : undefined };
  } catch (error) {
    throw explain(error);
  }
}

const SERIALIZATION_FAILURE = '40001';
const DEADLOCK = '40P01';

function isSerializationFailure(error: unknown): boolean {
  const code = sqlState(error);
  return code === SERIALIZATION_FAILURE || code === DEADLOCK;
}

function sqlState(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

/** Connection exceptions, resources, operator intervention, a statement that took too long: SQLSTATE classes 08, 53, 57P, and 57014. */
const unavailableState = /^(08|53|57P|57014)/;

/** node's socket errors, and those of `pg` about a connection that is gone, which have no SQLSTATE. */
const connectionTrouble = /^E[A-Z]+$/;
const connectionGone = /Connection terminated|Client has encountered a connection error|not queryable/;

function explain(error: unknown): unknown {
  const code = sqlState(error);
  if (code === undefined) {
    return error instanceof Error && connectionGone.test(error.message) ? new DatabaseUnavailable(error) : error;
  }
  return unavailableState.test(code) || connectionTrouble.test(code) ? new DatabaseUnavailable(error) : error;
}
