import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import { rememberReads } from '#database/cache/cached-reads.ts';
import { type OneState, readOneState } from '#database/cache/read-snapshot.ts';
import { tablesOfSqlite } from '#database/cache/table-catalog.ts';
import { TableVersions } from '#database/cache/table-versions.ts';
import { gate, givingWayTogether } from '#runtime/concurrency-limiter.ts';
import type { Connection, Engine, OpenTransaction, Statement } from '../engine.ts';
import { isLong } from '../long-statements.ts';
import { DatabaseUnavailable } from '../unavailable.ts';
import { BUSY_TIMEOUT, explain, isBusy, openConnection, type SqliteConnection } from './connection.ts';
import { sqliteCopying } from './copy.ts';
import { createReadingThread } from './read-thread.ts';
import { gatherAll, gatherStatistics, type InTurn } from './statistics.ts';

/** How long `BEGIN IMMEDIATE` is tried again while another process (a CLI command) writes. */
const PATIENCE = 10_000;

/** Transactions that wait for their turn: a second's work, once another process lets them. */
const LINE = { waiting: 1_000, retryAfter: 5 };

/** Bytes that the write-ahead log keeps after a checkpoint. */
const WAL_KEPT = 16 * 2 ** 20;

/** Bytes of a database from which on long statements are worth a thread. */
const LARGE = 32 * 2 ** 20;
/** From this share of it on the thread is kept ready. */
const NEARLY = 0.75;

interface SqliteOptions {
  /** Bytes from which on the database counts as large. */
  readonly large?: number | undefined;
}

/**
 * The embedded engine: one connection that writes, one that reads, both on `file`; where that is large, a thread for
 * statements that may be long.
 */
export function openSqlite(file: string, { large = LARGE }: SqliteOptions = {}): Engine {
  const writer = openConnection(file);
  writer.database.exec(
    `pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on; pragma journal_size_limit = ${WAL_KEPT}`,
  );
  const size = writer.database.prepare(
    'select page_count * page_size as bytes from pragma_page_count, pragma_page_size',
  );
  const bytes = () => Number(size.get()!.bytes);
  const isLarge = () => bytes() >= large;
  if (isLarge()) gatherAll(writer.database);
  const connection = openConnection(file);
  connection.database.exec('pragma query_only = on');
  const here = readOneState(connection);
  const thread = createReadingThread(file);
  const inTurns = executeInTurns();
  const { execute: readHere } = inTurns.of(here);
  const execute = (statement: Statement) => {
    if (!isLong(statement)) return readHere(statement);
    const held = bytes();
    if (held >= large) return thread.execute(statement);
    if (held >= large * NEARLY) thread.prepare();
    return readHere(statement);
  };
  const versions = new TableVersions(() => tablesOfSqlite(writer.database));
  const reader = rememberReads({ ...here, execute }, { database: writer.database, versions });
  const { take: takeTurn } = gate(1, LINE);
  const inTurn: InTurn = async (database, work) => {
    const done = await takeTurn({ owed: true });
    try {
      await inTurns.giveWay();
      await whenFree(database, () => {
        here.letGo();
        work();
      });
    } finally {
      done();
    }
  };
  const begin: Engine['begin'] = async (_isolation, _turns, waiter) => {
    const done = await takeTurn(waiter);
    try {
      // Many that have waited for another process would else run in one turn of the event loop.
      await inTurns.giveWay();
      await whenFree(writer.database, () => writer.database.exec('begin immediate'));
    } catch (error) {
      done();
      throw error;
    }
    return openTransaction({ writer, here, versions, inTurns }, done);
  };
  /** References are looked at when the caller asks for it: SQLite lets go of them between transactions only. */
  const beginFilling = async () => {
    const follow = (references: 'on' | 'off') => writer.database.exec(`pragma foreign_keys = ${references}`);
    follow('off');
    const open = await begin('serializable', []);
    return {
      ...open,
      commit: () => open.commit().finally(() => follow('on')),
      rollback: () => open.rollback().finally(() => follow('on')),
    };
  };
  return {
    name: 'sqlite',
    kysely: {
      createAdapter: () => new SqliteAdapter(),
      createQueryCompiler: () => new SqliteQueryCompiler(),
      createIntrospector: (db) => new SqliteIntrospector(db),
    },
    reading: reader,
    readingNow: reader.connection,
    begin,
    copying: sqliteCopying(file, beginFilling),
    mayRunAgain: isBusy,
    schemaChanged() {
      writer.forgetStatements();
      reader.forgetStatements();
      reader.forget();
      versions.schemaChanged();
    },
    forget() {
      reader.forget();
      for (const each of [here, writer]) each.forgetAll();
      void thread.leave();
    },
    async gatherStatistics() {
      if (!isLarge()) return;
      const { gathered } = await gatherStatistics(writer.database, here.database, inTurn);
      if (!gathered) return;
      reader.forget();
      await thread.renew();
    },
    async close() {
      const done = await takeTurn({ owed: true });
      await thread.close();
      here.letGo();
      reader.database.close();
      writer.database.close();
      done();
    },
  };
}

/** Does what needs the lock of those who write, again for as long as another process has it. */
async function whenFree(database: DatabaseSync, work: () => void): Promise<void> {
  for (let waited = 0, wait = 2; ; waited += wait + BUSY_TIMEOUT, wait = Math.min(wait * 2, 100)) {
    try {
      work();
      return;
    } catch (error) {
      if (!isBusy(error)) throw explain(error, database);
      if (waited > PATIENCE) throw new DatabaseUnavailable(error);
    }
    await pause(wait);
  }
}

/**
 * A statement is short and holds up everybody: many of them, of one request or of several, are a long turn of the event
 * loop, so that between two of them others have theirs.
 */
function executeInTurns() {
  const giveWay = givingWayTogether();
  return {
    giveWay,
    of({ execute }: Connection) {
      let waiting = 0;
      let waited = false;
      return {
        execute(statement: Statement) {
          const way = giveWay();
          if (way === undefined) return execute(statement);
          waited = true;
          waiting++;
          return way.then(() => {
            waiting--;
            return execute(statement);
          });
        },
        /** Whether one of these has waited since the question before, or does now. */
        gaveWay() {
          const before = waited;
          waited = waiting > 0;
          return before;
        },
      };
    },
  };
}

interface Writing {
  readonly writer: SqliteConnection;
  /** With which others read meanwhile. */
  readonly here: OneState;
  readonly versions: TableVersions;
  readonly inTurns: ReturnType<typeof executeInTurns>;
}

function openTransaction({ writer, here, versions, inTurns }: Writing, left: () => void): OpenTransaction {
  const { database } = writer;
  const changed = new Set<string>();
  const execute = (statement: Statement) => {
    const result = writer.execute(statement);
    // What has found no row has changed nothing.
    if (result.affected !== 0) for (const table of versions.changedBy(statement.sql) ?? []) changed.add(table);
    return result;
  };
  const done = () => {
    versions.committed(changed);
    left();
  };
  return {
    ...inTurns.of({ execute }),
    async commit() {
      try {
        here.letGo();
        database.exec('commit');
      } catch (error) {
        if (database.isTransaction) database.exec('rollback');
        throw explain(error, database);
      } finally {
        done();
      }
    },
    async rollback() {
      try {
        // Some failures (a full disk) have rolled back already.
        if (database.isTransaction) database.exec('rollback');
      } finally {
        done();
      }
    },
  };
}
