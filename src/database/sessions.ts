import { type ConnectionProvider, DefaultQueryExecutor, DummyDriver, Kysely, type QueryResult } from 'kysely';
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

/**
 * The Reader of a request. It creates its Kysely instance on first use: most requests only run prepared queries, which bypass
 * Kysely, and creating an instance costs as much as routing the request.
 */
class LazyReader {
  // The methods that are passed to Kysely. The type ensures that no method of Reader is missing here.
  static readonly #METHODS: Readonly<Record<Exclude<keyof Reader, 'fn' | 'dynamic' | 'today'>, true>> = {
    selectFrom: true,
    selectNoFrom: true,
    with: true,
    withRecursive: true,
    case: true,
    executeQuery: true,
    getExecutor: true,
  };

  readonly [SESSION]: DatabaseSession;
  readonly #clock: Clock;
  readonly #createKysely: () => Kysely<Schema>;
  #createdKysely: Kysely<Schema> | undefined;

  constructor(session: DatabaseSession, clock: Clock, createKysely: () => Kysely<Schema>) {
    this[SESSION] = session;
    this.#clock = clock;
    this.#createKysely = createKysely;
  }

  static {
    for (const name of Object.keys(LazyReader.#METHODS) as (keyof Kysely<Schema>)[]) {
      const callMethod = function (this: LazyReader, ...args: never[]) {
        return (this.kysely[name] as (...values: never[]) => unknown).apply(this.kysely, args);
      };
      Object.defineProperty(LazyReader.prototype, name, { value: callMethod });
    }
  }

  get kysely(): Kysely<Schema> {
    this.#createdKysely ??= this.#createKysely();
    return this.#createdKysely;
  }

  get fn(): Reader['fn'] {
    return this.kysely.fn;
  }

  get dynamic(): Reader['dynamic'] {
    return this.kysely.dynamic;
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
      const reader = new LazyReader(
        { engine, connection },
        clock,
        () => new Kysely<Schema>(createKyselyConfig(connection)),
      );
      // LazyReader defines the methods of Kysely while the program runs.
      return reader as unknown as Reader;
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
