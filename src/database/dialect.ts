import {
  type ColumnBuilderCallback,
  type Expression,
  type QueryExecutorProvider,
  type RawBuilder,
  type SelectQueryBuilder,
  type SqlBool,
  sql,
} from 'kysely';
import type { Reader, Transaction } from './database.ts';
import type { EngineName } from './engines/engine.ts';
import { getSession } from './sessions.ts';

// Only this folder distinguishes the engines. Each difference is explained where it is made.

type ColumnType = RawBuilder<unknown>;

/** Column types of migrations, for `addColumn('project_id', dialect.integer, (column) => column.notNull())`. */
export interface Dialect {
  readonly engine: EngineName;
  /** The primary key; ids are never reused: `addColumn('id', ...dialect.id)`. */
  readonly id: [type: ColumnType, build: ColumnBuilderCallback];
  /** Read as true or false; needs `notNull()` and a default. */
  readonly boolean: ColumnType;
  /** Ids of other rows, counts, sizes: up to 2^53. */
  readonly integer: ColumnType;
  /** A floating-point number. */
  readonly real: ColumnType;
  /** Text that is compared and sorted by code point. */
  readonly text: ColumnType;
  /** The folded form of a name (`foldCase`), for unique indexes and sorting. */
  readonly key: ColumnType;
  /** ISO 8601, UTC, milliseconds: sorts as text. */
  readonly timestamp: ColumnType;
  /** JSON text, stored unchanged. */
  readonly json: ColumnType;
  /** Bytes. */
  readonly bytes: ColumnType;
}

const sqlite: Dialect = {
  engine: 'sqlite',
  // Without AUTOINCREMENT, SQLite would reuse the id of a deleted last row.
  id: [sql`integer`, (column) => column.primaryKey().autoIncrement()],
  // Stored as 0 and 1; the declared name tells the driver to read it as a boolean.
  boolean: sql`boolean`,
  integer: sql`integer`,
  real: sql`real`,
  // SQLite compares text byte by byte by default.
  text: sql`text`,
  key: sql`text`,
  timestamp: sql`text`,
  json: sql`text`,
  bytes: sql`blob`,
};

const postgres: Dialect = {
  engine: 'postgres',
  id: [sql`bigint`, (column) => column.generatedAlwaysAsIdentity().primaryKey()],
  boolean: sql`boolean`,
  integer: sql`bigint`,
  real: sql`double precision`,
  // The default collation depends on the server's locale; "C" compares byte by byte, like SQLite.
  text: sql`text collate "C"`,
  key: sql`text collate "C"`,
  timestamp: sql`text collate "C"`,
  json: sql`text`,
  bytes: sql`bytea`,
};

export function getDialect(engine: EngineName): Dialect {
  return engine === 'sqlite' ? sqlite : postgres;
}

/** Returns the engine of a handle, for statements that have no common form. */
export function getEngineName(db: Reader): EngineName {
  return getSession(db).engine.name;
}

/**
 * Increments a counter and returns its value. The counter stays locked until the transaction ends, so that values become
 * visible in their order: a reader that asks for values "greater than the last" misses none. A sequence cannot ensure this.
 */
export async function nextCounterValue(tx: Transaction, name: string): Promise<number> {
  const { value } = await tx
    .insertInto('counters')
    .values({ name, value: 1 })
    .onConflict((conflict) => conflict.column('name').doUpdateSet((eb) => ({ value: eb('counters.value', '+', 1) })))
    .returning('value')
    .executeTakeFirstOrThrow();
  return value;
}

/** Reserves and returns the next id of a table, for a row of another table that is listed together with its rows. */
export async function allocateId(tx: Transaction, table: 'jobs'): Promise<number> {
  if (getEngineName(tx) === 'postgres') {
    const nextIdQuery = sql<{ id: number }>`select nextval(pg_get_serial_sequence(${table}, 'id')) as id`;
    return (await nextIdQuery.execute(tx)).rows[0]!.id;
  }
  // SQLite stores the last id in sqlite_sequence, which has no entry for a table that never had a row.
  const nextIdQuery = sql<{
    id: number;
  }>`update sqlite_sequence set seq = seq + 1 where name = ${table} returning seq as id`;
  const { rows } = await nextIdQuery.execute(tx);
  if (rows[0] !== undefined) return rows[0].id;
  await sql`insert into sqlite_sequence (name, seq) values (${table}, 1)`.execute(tx);
  return 1;
}

/**
 * Builds `column in (ids)` for a list of any length. The engines limit the number of parameters of a statement, so the list is
 * one parameter.
 */
export function isInIds(db: Reader, column: Expression<number>, ids: readonly number[]): RawBuilder<SqlBool> {
  if (getEngineName(db) === 'sqlite') {
    return sql<SqlBool>`${column} in (select value from json_each(${JSON.stringify(ids)}))`;
  }
  // PostgreSQL knows the length of an array value and uses an index for a short one.
  return sql<SqlBool>`${column} = any(${`{${ids.join(',')}}`}::bigint[])`;
}

/** Builds `column in (texts)` for a list of any length. */
export function isInTexts(db: Reader, column: Expression<string>, texts: readonly string[]): RawBuilder<SqlBool> {
  // PostgreSQL rejects JSON that contains lone surrogates.
  const list = JSON.stringify(texts.map((text) => text.toWellFormed()));
  return sql<SqlBool>`${column} in (select value from ${expandJsonTexts(db, sql.val(list))})`;
}

/** Builds a query for the number of rows of a subquery and their ids as a JSON list; `ids` is null for more than `limit` rows. */
export function selectCountAndIds(
  db: Reader,
  subquery: RawBuilder<unknown>,
  limit: number,
): RawBuilder<{ count: number; ids: string | null }> {
  // PostgreSQL converts one array to text faster than single numbers (json_agg), and not at all for more than `limit` rows.
  const idList =
    getEngineName(db) === 'sqlite'
      ? sql`json_group_array(id)`
      : sql`coalesce(array_to_json(array_agg(id))::text, '[]')`;
  const ids = sql`case when count(*) <= ${sql.lit(limit)} then ${idList} end`;
  return sql`select count(*) as count, ${ids} as ids from ${subquery} as found`;
}

/** Expands a JSON list of texts into rows with the column `value`. */
export function expandJsonTexts(db: Reader, list: Expression<string>): RawBuilder<{ value: string }> {
  return getEngineName(db) === 'sqlite' ? sql`json_each(${list})` : sql`json_array_elements_text(${list}::json)`;
}

/**
 * Builds `column in (subquery of ids)` for a correlated subquery that returns few ids per row. Makes the engine look the rows
 * up by these ids.
 */
export function isInSubquery(db: Reader, column: Expression<number>, ids: Expression<unknown>): RawBuilder<SqlBool> {
  // With IN, PostgreSQL would test each row of the column's table; with an array value it uses the index.
  return getEngineName(db) === 'sqlite'
    ? sql<SqlBool>`${column} in ${ids}`
    : sql<SqlBool>`${column} = any(array${ids})`;
}

/** Builds an `exists` that is evaluated row by row, so that a list with a limit stops early. */
export function existsWithoutJoin(db: Reader, subquery: RawBuilder<unknown>): RawBuilder<SqlBool> {
  // PostgreSQL would turn the condition into a join over all rows, although a page needs twenty. OFFSET 0 prevents that.
  return getEngineName(db) === 'sqlite'
    ? sql<SqlBool>`exists (${subquery})`
    : sql<SqlBool>`exists (${subquery} offset 0)`;
}

/** Keeps SQLite from using an index on this column, by a unary plus. Changes only the query plan, not the result. */
export function withoutIndex<Value>(db: Reader, column: RawBuilder<Value>): RawBuilder<Value> {
  // PostgreSQL chooses between index and scan well, and would estimate an expression worse than a column.
  return getEngineName(db) === 'sqlite' ? sql<Value>`+${column}` : column;
}

/** Returns a condition as 1 or 0: a plain condition is a boolean on PostgreSQL and a number on SQLite. */
export function toZeroOrOne(condition: Expression<SqlBool>): RawBuilder<0 | 1> {
  return sql<0 | 1>`case when ${condition} then 1 else 0 end`;
}

interface ColumnCopies {
  /** The table whose rows contain the copies. */
  readonly table: string;
  /** The column of `table` that refers to `source` by id. */
  readonly key: string;
  readonly source: string;
  /** Columns of `source`; `table` has columns with the same names. */
  readonly columns: readonly string[];
}

/**
 * For migrations: copies columns of a referenced row into the referring rows, so that an index can contain them. Triggers keep
 * the copies up to date; existing rows are filled at once.
 */
export async function maintainColumnCopies(
  db: QueryExecutorProvider,
  dialect: Dialect,
  { table, key, source, columns }: ColumnCopies,
): Promise<void> {
  const [copyTable, sourceTable, keyColumn] = [sql.table(table), sql.table(source), sql.ref(key)];
  const names = sql.join(columns.map((column) => sql.ref(column)));
  const newColumns = sql.join(columns.map((column) => sql.ref(`new.${column}`)));
  const assignments = sql.join(columns.map((column) => sql`${sql.ref(column)} = ${sql.ref(`new.${column}`)}`));
  const oldColumns = sql.join(columns.map((column) => sql.ref(`old.${column}`)));
  const setColumns = sql`update ${copyTable} set (${names}) =`;
  await sql`${setColumns} (select ${names} from ${sourceTable} where ${sourceTable}.id = ${copyTable}.${keyColumn})`.execute(
    db,
  );
  const updateCopies = sql`update ${copyTable} set ${assignments} where ${keyColumn} = new.id`;
  const [insertTrigger, updateTrigger] = [sql.id(`${table}_copies`), sql.id(`${table}_copies_of_${source}`)];
  if (dialect.engine === 'sqlite') {
    const fillCopies = sql`${setColumns} (select ${names} from ${sourceTable} where id = new.${keyColumn}) where rowid = new.rowid`;
    await sql`create trigger ${insertTrigger} after insert on ${copyTable} begin ${fillCopies}; end`.execute(db);
    await sql`create trigger ${updateTrigger} after update of ${names} on ${sourceTable} when (${oldColumns}) <> (${newColumns})
      begin ${updateCopies}; end`.execute(db);
    return;
  }
  // A PostgreSQL trigger calls a function; a `before` trigger changes the row before it is inserted.
  const createFunction = (name: RawBuilder<unknown>, body: RawBuilder<unknown>) =>
    sql`create function ${name}() returns trigger language plpgsql as $$ begin ${body}; return new; end $$`.execute(db);
  await createFunction(
    insertTrigger,
    sql`select ${names} into ${newColumns} from ${sourceTable} where id = new.${keyColumn}`,
  );
  await sql`create trigger ${insertTrigger} before insert on ${copyTable} for each row execute function ${insertTrigger}()`.execute(
    db,
  );
  await createFunction(updateTrigger, updateCopies);
  await sql`create trigger ${updateTrigger} after update of ${names} on ${sourceTable} for each row
    when ((${oldColumns}) is distinct from (${newColumns})) execute function ${updateTrigger}()`.execute(db);
}

interface InsertTrigger {
  /** Unique name of the trigger. */
  readonly name: string;
  readonly table: string;
  /** The event that fires the trigger; `update` lists the columns whose update fires it. */
  readonly after: 'insert' | 'delete' | { readonly update: readonly string[] };
  /** Condition on the row. Here and in the insert statements, the row's columns are `new.x` and `old.x`. */
  readonly when: RawBuilder<SqlBool>;
  /** Returns insert statements; `timestamp` is the current time of the database. */
  readonly insertStatements: (timestamp: RawBuilder<string>) => readonly RawBuilder<unknown>[];
}

/**
 * For migrations: adds a trigger that inserts rows whenever rows of a table are written, by a statement or a cascade, in the
 * same transaction. The inserted rows get ascending ids in the order in which transactions become visible: a reader that asks
 * for ids "greater than the last" misses none.
 */
export async function addRowInsertingTrigger(
  db: QueryExecutorProvider,
  dialect: Dialect,
  { name, table, after, when, insertStatements: buildInserts }: InsertTrigger,
): Promise<void> {
  const [triggerName, tableRef] = [sql.id(name), sql.table(table)];
  const event =
    typeof after === 'string'
      ? sql.raw(after)
      : sql`update of ${sql.join(after.update.map((column) => sql.ref(column)))}`;
  if (dialect.engine === 'sqlite') {
    // SQLite has one writer: ids are in the order of commits.
    const statements = buildInserts(sql`strftime('%Y-%m-%dT%H:%M:%fZ', 'now')`);
    const body = sql.join(statements, sql`; `);
    await sql`create trigger ${triggerName} after ${event} on ${tableRef} when ${when} begin ${body}; end`.execute(db);
    return;
  }
  // Deferred to the commit: ids are assigned under a lock that ends with the commit, so that no transaction holds the lock
  // while it waits for something else. The lock id is arbitrary, but differs from the one of `lockSchema`.
  const statements = buildInserts(sql`to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`);
  const body = sql.join(statements, sql`; `);
  await sql`create function ${triggerName}() returns trigger language plpgsql as $$ begin
    if ${when} then perform pg_advisory_xact_lock(4827193651); ${body}; end if; return null; end $$`.execute(db);
  await sql`create constraint trigger ${triggerName} after ${event} on ${tableRef} deferrable initially deferred
    for each row execute function ${triggerName}()`.execute(db);
}

/** Locks the selected rows and skips rows that another transaction has locked. */
export function skipLocked<DB, TB extends keyof DB, Row>(
  db: Reader,
  query: SelectQueryBuilder<DB, TB, Row>,
): typeof query {
  // SQLite has one writer: no other transaction changes rows.
  return getEngineName(db) === 'postgres' ? query.forUpdate().skipLocked() : query;
}

/** Returns whether a statement failed because a table does not exist. */
export function isMissingTableError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // 42P01 is PostgreSQL's undefined_table.
  return 'code' in error && error.code === '42P01' ? true : /no such table/.test(error.message);
}

/** Locks the schema until the end of the transaction, so that no other process migrates it meanwhile. */
export async function lockSchema(tx: Transaction): Promise<void> {
  // SQLite transactions begin with the write lock. PostgreSQL needs an advisory lock, whose arbitrary id all processes share.
  if (getEngineName(tx) !== 'postgres') return;
  await sql`select pg_advisory_xact_lock(4827193650)`.execute(tx);
  // Runs deferred triggers immediately: tables with pending trigger events cannot be altered.
  await sql`set constraints all immediate`.execute(tx);
}

/**
 * Returns the lines of the query plan. Tests use it to check that each list has an index, so PostgreSQL must not prefer a scan
 * of a small table.
 */
export async function explainPlan(
  tx: Transaction,
  query: { compile(): { sql: string; parameters: readonly unknown[] } },
) {
  const { connection, engine } = getSession(tx);
  const { sql: text, parameters } = query.compile();
  if (engine.name === 'sqlite') {
    const { rows } = await connection.execute({ sql: `explain query plan ${text}`, parameters });
    return rows.map((row) => String(row.detail));
  }
  await connection.execute({ sql: 'set local enable_seqscan = off', parameters: [] });
  // Also discourages a full index scan, which costs as little as a lookup in a small table.
  await connection.execute({ sql: 'set local random_page_cost = 4', parameters: [] });
  const { rows } = await connection.execute({ sql: `explain ${text}`, parameters });
  return rows.map((row) => String(row['QUERY PLAN']));
}
