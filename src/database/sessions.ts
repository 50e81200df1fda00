import { type ConnectionProvider, DefaultQueryExecutor, DummyDriver, Kysely, type QueryResult } from 'kysely';
import { type Clock, dayOf, today } from '#runtime/clock.ts';
import type { Connection, Engine } from './engines/engine.ts';
import type { Reader, Transaction } from './handles.ts';
import type { Schema } from './schema.ts';

/** The engine and the connection below a handle, for those in this room that go around Kysely. */
export interface Session {
  readonly engine: Engine;
  readonly connection: Connection;
}

/** Where a handle has it. A weak map would be one more thing that the garbage collector looks through for each request. */
const SESSION = Symbol('session');

export function sessionOf(db: Reader): Session {
  const session = (db as { readonly [SESSION]?: Session })[SESSION];
  if (session === undefined) throw new Error('Not a handle of this database');
  return session;
}

/**
 * What a request reads with. Most ask for prepared queries only, which go around Kysely, and making that costs as much as
 * finding the route.
 */
class LazyReader {
  // Typed, so that none of Kysely's that a Reader offers is forgotten here.
  static readonly #METHODS: Readonly<Record<Exclude<keyof Reader, 'fn' | 'dynamic' | 'today'>, true>> = {
    selectFrom: true,
    selectNoFrom: true,
    with: true,
    withRecursive: true,
    case: true,
    executeQuery: true,
    getExecutor: true,
  };

  readonly [SESSION]: Session;
  readonly #clock: Clock;
  readonly #make: () => Kysely<Schema>;
  #made: Kysely<Schema> | undefined;

  constructor(session: Session, clock: Clock, make: () => Kysely<Schema>) {
    this[SESSION] = session;
    this.#clock = clock;
    this.#make = make;
  }

  static {
    for (const name of Object.keys(LazyReader.#METHODS) as (keyof Kysely<Schema>)[]) {
      const ask = function (this: LazyReader, ...given: never[]) {
        return (this.kysely[name] as (...values: never[]) => unknown).apply(this.kysely, given);
      };
      Object.defineProperty(LazyReader.prototype, name, { value: ask });
    }
  }

  get kysely(): Kysely<Schema> {
    this.#made ??= this.#make();
    return this.#made;
  }

  get fn(): Reader['fn'] {
    return this.kysely.fn;
  }

  get dynamic(): Reader['dynamic'] {
    return this.kysely.dynamic;
  }

  get today(): string {
    return today(this.#clock);
  }
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
      const made = new LazyReader(
        { engine, connection: reading },
        clock,
        () => new Kysely<Schema>(properties(reading)),
      );
      return made as unknown as Reader;
    },
    transaction(connection: Connection, extra: Pick<Transaction, 'now' | 'afterCommit'>): Transaction {
      const own = { ...extra, today: dayOf(extra.now), [SESSION]: { engine, connection } };
      return Object.assign(new Kysely<Schema>(properties(connection)), own) as unknown as Transaction;
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
