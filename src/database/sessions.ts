import { type ConnectionProvider, DefaultQueryExecutor, DummyDriver, Kysely, type QueryResult } from 'kysely';
import { type Clock, dayOf, today } from '../clock.ts';
import type { Connection, Engine } from './engine.ts';
import type { Reader, Transaction } from './handles.ts';
import type { Schema } from './schema.ts';

/** The engine and the connection below a handle, for those in this room that go around Kysely. */
export interface Session {
  readonly engine: Engine;
  readonly connection: Connection;
}

const sessions = new WeakMap<object, Session>();

export function sessionOf(db: Reader): Session {
  const session = sessions.get(db);
  if (session === undefined) throw new Error('Not a handle of this database');
  return session;
}

/** Makes the Kysely instances that are handed out: one for reading (PostgreSQL: one a request), one for each transaction. */
export function createHandles(engine: Engine, clock: Clock) {
  const adapter = engine.kysely.createAdapter();
  const compiler = engine.kysely.createQueryCompiler();
  const driver = new DummyDriver();
  const dialect = { ...engine.kysely, createDriver: () => driver };
  const properties = (connection: Connection) => ({
    config: { dialect },
    dialect,
    driver,
    executor: new DefaultQueryExecutor(compiler, adapter, provide(connection), []),
  });
  return {
    reader(reading: Connection): Reader {
      const handle = new Kysely<Schema>(properties(reading));
      Object.defineProperty(handle, 'today', { get: () => today(clock) });
      sessions.set(handle, { engine, connection: reading });
      return handle as unknown as Reader;
    },
    transaction(connection: Connection, extra: Pick<Transaction, 'now' | 'afterCommit'>): Transaction {
      const handle = Object.assign(new Kysely<Schema>(properties(connection)), extra, { today: dayOf(extra.now) });
      sessions.set(handle, { engine, connection });
      return handle as unknown as Transaction;
    },
  };
}

/** Kysely's view of one of our connections. */
function provide(connection: Connection): ConnectionProvider {
  const seen = {
    async executeQuery<R>({
      sql,
      parameters,
    }: {
      sql: string;
      parameters: readonly unknown[];
    }): Promise<QueryResult<R>> {
      const result = connection.execute({ sql, parameters });
      const { rows, affected } = result instanceof Promise ? await result : result;
      return { rows: rows as R[], numAffectedRows: affected === undefined ? undefined : BigInt(affected) };
    },
    // biome-ignore lint/correctness/useYield: it always refuses
    async *streamQuery(): AsyncIterableIterator<never> {
      throw new Error('No open iterators: page by key');
    },
  };
  return { provideConnection: (consumer) => consumer(seen) };
}
