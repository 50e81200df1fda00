import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '#runtime/clock.ts';
import type { Connection, Engine, EngineName, Reads, RequestConnection } from './engines/engine.ts';
import { openPostgres } from './engines/postgres/postgres.ts';
import { openSqlite } from './engines/sqlite/sqlite.ts';
import type { Reader, Transaction } from './handles.ts';
import { createHandles } from './sessions.ts';
import { runTransaction, type TransactionOptions } from './transactions.ts';

export type { Reads } from './engines/engine.ts';
export { DatabaseUnavailable } from './engines/unavailable.ts';
export type { Reader, Transaction } from './handles.ts';
export type { Schema } from './schema.ts';
export type { TransactionOptions } from './transactions.ts';

export interface Database {
  /** Only `dialect.ts` and what finds parts of texts ask for it. */
  readonly engine: EngineName;
  /** For statements that only read, each for itself. */
  readonly reader: Reader;
  /**
   * The same database for the reads of one request: what they take from memory is no older than this call. For whoever has
   * waited for something else meanwhile (a body, another server), it is time for another one.
   */
  current(): CurrentDatabase;
  /**
   * Runs `work` in a transaction and returns what it returns. Rolled back when `work` throws or returns a Failure.
   * `work` may be run again, so it contains SQL only.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Gives up what is kept only to be faster. */
  forget(): void;
  /** Lets the engine's planner know how large the tables are by now; holds nobody up, however large they are. */
  gatherStatistics(): Promise<void>;
  /** Waits for the running transaction, then closes the connections. */
  close(): Promise<void>;
}

/** As one request sees it. */
export interface CurrentDatabase extends Database {
  /**
   * The state that reads see (SQLite: in this turn of the event loop): a value, or the promise of one, that is another one
   * after every commit, whoever made it.
   */
  version(): unknown;
  /** What the request has read so far. It tells whether that holds as of the last question for the version. */
  reads(): Reads;
}

interface DatabaseOptions {
  /** `postgres://...`; absent: SQLite, in the file `hearth.sqlite3` of the data directory. */
  readonly url?: string | undefined;
  readonly dataDir: string;
  readonly clock: Clock;
  readonly log?: DatabaseLog;
  /** PostgreSQL: how many connections at most; default 10. */
  readonly connections?: number;
  /** SQLite: bytes of a database from which on long statements run in a thread of their own. */
  readonly large?: number;
  /** In tests: fail a SQLite transaction that holds anything but SQL. */
  readonly detectLongTransactions?: boolean;
}

interface DatabaseLog {
  error(details: object, message: string): void;
}

/** Opens the database as it is; `migrate` brings its tables up to date. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const engine = await openEngine(options);
  const handles = createHandles(engine, options.clock);
  const surroundings = {
    engine,
    handles,
    clock: options.clock,
    detectLong: options.detectLongTransactions ?? false,
    failed: (error: unknown) => options.log?.error({ err: error }, 'An action after a commit failed'),
  };
  const readBy = (reading: Connection): Database => ({
    engine: engine.name,
    reader: handles.reader(reading),
    current: () => currentBy(engine.readingNow()),
    transaction: (work, transactionOptions) => runTransaction(surroundings, work, transactionOptions),
    forget: () => engine.forget(),
    gatherStatistics: () => engine.gatherStatistics(),
    close: () => engine.close(),
  });
  const currentBy = (reading: RequestConnection): CurrentDatabase => ({
    ...readBy(reading),
    version: reading.version,
    reads: reading.reads,
  });
  return readBy(engine.reading);
}

async function openEngine({ url, dataDir, log, large, connections = 10 }: DatabaseOptions): Promise<Engine> {
  if (url !== undefined) {
    const lost = (error: Error) => log?.error({ err: error }, 'A connection to the database was lost');
    return openPostgres({ url, connections, lost });
  }
  await mkdir(dataDir, { recursive: true });
  return openSqlite(join(dataDir, 'hearth.sqlite3'), { large });
}
