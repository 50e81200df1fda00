import {
  type ConnectionProvider,
  DefaultQueryExecutor,
  DummyDriver,
  Kysely,
  type KyselyProps,
  type QueryResult,
} from 'kysely';
import { type Clock, getToday, toUtcDate } from '#runtime/clock.ts';
import type { Connection, Engine } from './engines/engine.ts';
import type { Reader, Transaction } from './handles.ts';
import type { Schema } from './schema.ts';

/** The engine and connection of a handle, for code of this folder that bypasses Kysely. */
export interface DatabaseSession {
  readonly engine: Engine;
  readonly connection: Connection;
}

/** The property of a handle that holds its session. A weak map would add work for the garbage collector on each request. */
const SESSION = Symbol('session');

/** Returns the session of a handle. Throws if the handle belongs to no database of this server. */
export function getSession(db: Reader): DatabaseSession {
  const session = (db as { readonly [SESSION]?: DatabaseSession })[SESSION];
  if (session === undefined) throw new Error('Not a handle of this database');
  return session;
}

/** The reader of a request. */
class SessionReader extends Kysely<Schema> {
  readonly [SESSION]: DatabaseSession;
  readonly #clock: Clock;

  constructor(props: KyselyProps, session: DatabaseSession, clock: Clock) {
    super(props);
    this[SESSION] = session;
    this.#clock = clock;
  }

  get today(): string {
    return getToday(this.#clock);
  }
}

/** Returns functions that create handles: readers (one per request) and transactions. */
export function createHandles(engine: Engine, clock: Clock) {
  const adapter = engine.kysely.createAdapter();
  const compiler = engine.kysely.createQueryCompiler();
  const driver = new DummyDriver();
  const dialect = { ...engine.kysely, createDriver: () => driver };
  const createKyselyConfig = (connection: Connection) => ({
    config: { dialect },
    dialect,
    driver,
    executor: new DefaultQueryExecutor(compiler, adapter, toConnectionProvider(connection), []),
  });
  return {
    createReader(connection: Connection): Reader {
      return new SessionReader(createKyselyConfig(connection), { engine, connection }, clock);
    },
    createTransaction(connection: Connection, extraProperties: Pick<Transaction, 'now' | 'afterCommit'>): Transaction {
      const handleProperties = {
        ...extraProperties,
        today: toUtcDate(extraProperties.now),
        [SESSION]: { engine, connection },
      };
      return Object.assign(
        new Kysely<Schema>(createKyselyConfig(connection)),
        handleProperties,
      ) as unknown as Transaction;
    },
  };
}

/** Adapts a connection to Kysely's interface. */
function toConnectionProvider(connection: Connection): ConnectionProvider {
  const connectionWrapper = {
    async executeQuery<R>({
      sql,
      parameters,
    }: {
      sql: string;
      parameters: readonly unknown[];
    }): Promise<QueryResult<R>> {
      const result = connection.execute({ sql, parameters });
      const { rows, affected } = result instanceof Promise ? await result : result;
      return affected === undefined ? { rows: rows as R[] } : { rows: rows as R[], numAffectedRows: BigInt(affected) };
    },
    // biome-ignore lint/correctness/useYield: it always throws
    async *streamQuery(): AsyncIterableIterator<never> {
      throw new Error('Streaming queries are not supported: use keyset pagination (paginateByKey)');
    },
  };
  return { provideConnection: (consumer) => consumer(connectionWrapper) };
}
