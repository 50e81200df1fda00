import type { Kysely, QueryCreator } from 'kysely';
import type {
  ReadonlyCommonTableExpression,
  ReadonlyExtractRowFromCommonTableExpression,
  ReadonlyRecursiveCommonTableExpression,
} from 'kysely/readonly';
import type { Schema } from './schema.ts';

/** Reads. First argument of every function that only reads: `db: Reader`. A Transaction may be given for it. */
export interface Reader
  extends ReadingQueries<Schema>,
    Pick<Kysely<Schema>, 'fn' | 'case' | 'dynamic' | 'executeQuery' | 'getExecutor'> {
  /** The UTC date, `YYYY-MM-DD`: in a transaction that of its moment. Nobody cuts it out of a timestamp. */
  readonly today: string;
}

/** Reads and writes. First argument of every function that writes: `tx: Transaction`. Contains SQL only: it may be run again. */
export interface Transaction extends Reader, Pick<Kysely<Schema>, 'insertInto' | 'updateTable' | 'deleteFrom'> {
  readonly [transactionBrand]: true;
  /** The moment of this transaction, as it is stored and goes on the wire. */
  readonly now: string;
  /** Calls `action` once the transaction is committed: to drop caches or wake the queue, nothing else. */
  afterCommit(action: () => void): void;
}

declare const transactionBrand: unique symbol;

/** What begins a SELECT, also below common table expressions, and nothing that begins a write. */
interface ReadingQueries<DB> extends Pick<QueryCreator<DB>, 'selectFrom' | 'selectNoFrom'> {
  with<Name extends string, Query extends ReadonlyCommonTableExpression<DB, Name>>(
    name: Name,
    query: Query,
  ): ReadingQueries<WithTable<DB, Name, Query>>;
  withRecursive<Name extends string, Query extends ReadonlyRecursiveCommonTableExpression<DB, Name>>(
    name: Name,
    query: Query,
  ): ReadingQueries<WithTable<DB, Name, Query>>;
}

type TableName<Name> = Name extends `${infer Table}(${string})` ? Table : Name;

type WithTable<DB, Name extends string, Query> = DB & {
  [Table in TableName<Name>]: ReadonlyExtractRowFromCommonTableExpression<Query>;
};
