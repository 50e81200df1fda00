import type { Expression, Kysely, QueryCreator } from 'kysely';
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
  with<Name extends string, Query extends CommonTable<DB, Name>>(
    name: Name,
    query: Query,
  ): ReadingQueries<WithTable<DB, Name, Query>>;
  withRecursive<Name extends string, Query extends CommonTable<DB & RowsOf<Name>, Name>>(
    name: Name,
    query: Query,
  ): ReadingQueries<WithTable<DB, Name, Query>>;
}

/** A query of `with`: reads, and may not begin a write either. Its name may list its columns: `tree(id, parent_id)`. */
type CommonTable<DB, Name extends string> = (db: ReadingQueries<DB>) => Expression<DeclaredRow<Name>>;

type WithTable<DB, Name extends string, Query> = DB & {
  [Table in TableName<Name>]: Query extends (db: ReadingQueries<never>) => Expression<infer Row> ? Row : never;
};

/** What a recursive query sees of itself. */
type RowsOf<Name extends string> = { [Table in TableName<Name>]: DeclaredRow<Name> };

type TableName<Name extends string> = Name extends `${infer Table}(${string})` ? Table : Name;

// biome-ignore lint/suspicious/noExplicitAny: a list of columns has no types
type DeclaredRow<Name extends string> = Name extends `${string}(${infer Columns})` ? Record<Column<Columns>, any> : any;

type Column<Columns extends string> = Columns extends `${infer First}, ${infer Rest}` ? First | Column<Rest> : Columns;
