import type { Expression, Kysely, QueryCreator, SelectType } from 'kysely';
import type { Schema } from './schema.ts';

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

/** The table of its own rows, from which a recursive query selects. */
type RowsOf<Name extends string> = { [Table in TableName<Name>]: DeclaredRow<Name> };

type TableName<Name extends string> = Name extends `${infer Table}(${string})` ? Table : Name;

// biome-ignore lint/suspicious/noExplicitAny: a list of column names has no types
type DeclaredRow<Name extends string> = Name extends `${string}(${infer Columns})` ? Record<Column<Columns>, any> : any;

type Column<Columns extends string> = Columns extends `${infer First}, ${infer Rest}` ? First | Column<Rest> : Columns;
