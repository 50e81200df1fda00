import type { Dialect as KyselyDialect } from 'kysely';
import type { Waiter } from '#runtime/concurrency-limiter.ts';

/** What the two engines have in common below Kysely. Services outside of `database/` never see this. */
export interface Engine {
  readonly name: EngineName;
  readonly kysely: Omit<KyselyDialect, 'createDriver'>;
  /** Statements outside of a transaction; refuses writes. */
  readonly reading: Connection;
  /** The same for one request, of which it knows what it reads. */
  readingNow(): RequestConnection;
  /**
   * Waits for its turn, then opens a transaction: beside no other one with the same key in `turns`, in any process. Fails
   * with `QueueFull` when too many wait, and with `WaiterGone` when the waiter goes.
   */
  begin(isolation: Isolation, turns: readonly string[], waiter?: Waiter): Promise<OpenTransaction>;
  /** Whether a transaction that failed like this may succeed when it is run again. */
  mayRunAgain(error: unknown): boolean;
  /** Forgets prepared statements after the schema changed. */
  schemaChanged(): void;
  /** Gives up what is kept only to be faster. */
  forget(): void;
  /** Lets the planner know how large the tables are by now, where the engine does not see to that itself. */
  gatherStatistics(): Promise<void>;
  readonly copying: Copying;
  close(): Promise<void>;
}

export type EngineName = 'sqlite' | 'postgres';

export type Isolation = 'serializable' | 'read committed';

export interface Statement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  /** Set for a statement that is run often: PostgreSQL then keeps its plan under this name. */
  readonly name?: string;
}

export type Row = Record<string, unknown>;

export interface StatementResult {
  readonly rows: Row[];
  /** Rows inserted, updated or deleted; undefined for a statement that only reads. */
  readonly affected?: number;
}

export interface Connection {
  /** Fails either way: it throws, or what it promises is rejected. */
  execute(statement: Statement): Soon<StatementResult>;
}

/**
 * What is there at once, or will be. The embedded engine answers at once, and most of what a request reads is remembered:
 * a promise for each layer that hands it on costs more than the question.
 */
export type Soon<T> = T | Promise<T>;

/** For the reads of one request. */
export interface RequestConnection extends Connection {
  /** A value, or the promise of one, that changes with every commit. What `reads` says then is no older than this call. */
  version(): unknown;
  /** Everything that was read here so far. */
  reads(): Reads;
}

/** What a request has read, and when. */
export interface Reads {
  /** Whether it would read the same now; as far as one knows who has asked for the version before. */
  hold(): boolean;
}

/** One begun transaction; ends with exactly one of commit and rollback, which also give the connection back. */
export interface OpenTransaction extends Connection {
  /**
   * Whether it has given way to others since it was asked last, or does now. Absent: its statements wait for another
   * process, so that nobody can tell by its turns whether it waits for anything else.
   */
  gaveWay?(): boolean;
  commit(): Promise<void>;
  rollback(): Promise<void>;
}

export type ColumnKind = 'integer' | 'real' | 'boolean' | 'text' | 'bytes';

export interface CopiedColumn {
  readonly name: string;
  readonly kind: ColumnKind;
}

/** A table as the database itself describes it: whatever migrations make is seen, and nothing has to be listed. */
export interface CopiedTable {
  readonly name: string;
  readonly columns: readonly CopiedColumn[];
  /** Of its primary key; empty: it has none. */
  readonly key: readonly string[];
  /** The last number that its rows were given, which is never given again; null: none yet, or they have none. */
  readonly lastId: number | null;
}

/** As the table's columns stand: numbers, booleans, texts, bytes, nulls. */
export type Values = readonly unknown[];

/** What an engine does for it in a way of its own. */
export interface Copying {
  /** A state of the database that stays as it is for this connection, beside a server that writes. */
  openSnapshot(): Promise<SnapshotConnection>;
  /** Nobody moves refs from now on, until the function is called: no intent is written, none is struck out. */
  holdRefs(): Promise<() => Promise<void>>;
  /** A transaction in which rows may come before those that they refer to. */
  beginFilling(): Promise<OpenTransaction>;
  /** All tables, as this connection sees them. */
  tables(connection: Connection): Promise<CopiedTable[]>;
  /** In a filling transaction: nothing but what is said is written. What is returned puts back what was taken away. */
  loosen(connection: Connection): Promise<() => Promise<void>>;
  insert(connection: Connection, table: CopiedTable, rows: readonly Values[]): Promise<void>;
  /** Numbers for new rows of the table go on from here. */
  setLastId(connection: Connection, table: string, lastId: number): Promise<void>;
  /** Columns that refer to other rows. */
  references(connection: Connection): Promise<Reference[]>;
  /** What the engine itself finds wrong with its files, with the index that is to be made anew where that mends it. */
  integrity(connection: Connection): Promise<{ readonly problem: string; readonly index: string | null }[]>;
}

export interface Reference {
  readonly table: string;
  readonly columns: readonly string[];
  readonly parent: string;
  readonly parentColumns: readonly string[];
  /** What becomes of rows when those go that they refer to. */
  readonly onDelete: 'cascade' | 'set null' | 'nothing';
}

export interface SnapshotConnection extends Connection {
  /** The rows of a statement in its order, some at a time. */
  stream(sql: string, kinds: readonly ColumnKind[]): AsyncIterable<readonly Values[]>;
  close(): Promise<void>;
}
