import {
  type ConnectionProvider,
  DefaultQueryExecutor,
  DummyDriver,
  type Expression,
  Kysely,
  type KyselyProps,
  type QueryCreator,
  type QueryResult,
  type SelectType,
} from 'kysely';
import { type Clock, getToday, toUtcDate } from '#runtime/clock.ts';
import type { Connection, Engine } from './engines/engine.ts';
import type { Schema } from './schema.ts';

/** The engine and connection of a handle, for code of this folder that bypasses Kysely. */
interface DatabaseSession {
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

/** A handle that reads. The first parameter of each function that only reads is `db: Reader`; a Transaction is a Reader too. */
export interface Reader
  extends ReadingQueries<Schema>,
    Pick<Kysely<Schema>, 'fn' | 'case' | 'dynamic' | 'executeQuery' | 'getExecutor'> {
  /** The UTC date, `YYYY-MM-DD`; in a transaction, the date of its start. Use it instead of the first characters of a timestamp. */
  readonly today: string;
}

/** A handle that reads and writes: `tx: Transaction`. The work of a transaction contains SQL only, because it may be retried. */
export interface Transaction extends Reader, Pick<Kysely<Schema>, 'insertInto' | 'updateTable' | 'deleteFrom'> {
  readonly [transactionBrand]: true;
  /** The start of this transaction as a timestamp, in the stored and serialized form. */
  readonly now: string;
  /** Calls `action` after the commit. Only for clearing caches and waking the job queue. */
  afterCommit(action: () => void): void;
}

declare const transactionBrand: unique symbol;

/** The type of rows with these columns of a table, as reads return them; without names, with all columns. */
export type Columns<Table extends keyof Schema, Name extends keyof Schema[Table] = keyof Schema[Table]> = {
  readonly [Column in Name]: SelectType<Schema[Table][Column]>;
};

/** The query builders that begin a SELECT, with or without common table expressions. */
interface ReadingQueries<DB> extends Pick<QueryCreator<DB>, 'selectFrom' | 'selectNoFrom'> {
  with<Name extends string, Query extends CommonTable<DB, Name>>(
    name: Name,
    query: Query,
  ): ReadingQueries<WithTable<DB, Name, Query>>;
  withRecursive<Name extends string, Query extends CommonTable<DB & RowsOf<Name>, Name>>(
    name: Name,
    query: Query,
  ): ReadingQueries<WithTable<DB, Name, Query>>;
}

/** The query of a common table expression, which may only read. The name may list the columns: `tree(id, parent_id)`. */
type CommonTable<DB, Name extends string> = (db: ReadingQueries<DB>) => Expression<DeclaredRow<Name>>;

type WithTable<DB, Name extends string, Query> = DB & {
  [Table in TableName<Name>]: Query extends (db: ReadingQueries<never>) => Expression<infer Row> ? Row : never;
};

/** The common table expression itself, from which its recursive part selects. */
type RowsOf<Name extends string> = { [Table in TableName<Name>]: DeclaredRow<Name> };

type TableName<Name extends string> = Name extends `${infer Table}(${string})` ? Table : Name;

// biome-ignore lint/suspicious/noExplicitAny: a list of column names has no types
type DeclaredRow<Name extends string> = Name extends `${string}(${infer Columns})` ? Record<Column<Columns>, any> : any;

type Column<Columns extends string> = Columns extends `${infer First}, ${infer Rest}` ? First | Column<Rest> : Columns;
