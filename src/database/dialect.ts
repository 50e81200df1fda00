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
import { sessionOf } from './sessions.ts';

// Nothing but this file and `substring-search.ts` asks which engine it is. Each difference is explained where it is made.

type ColumnType = RawBuilder<unknown>;

/** Column types of migrations, for `addColumn('project_id', dialect.integer, (column) => column.notNull())`. */
export interface Dialect {
  readonly engine: EngineName;
  /** The row's own number, never used again: `addColumn('id', ...dialect.id)`. */
  readonly id: [type: ColumnType, build: ColumnBuilderCallback];
  /** Reads as true or false; give it `notNull()` and a default. */
  readonly boolean: ColumnType;
  /** Ids of other rows, counts, sizes: up to 2^53. */
  readonly integer: ColumnType;
  /** A floating-point number. */
  readonly real: ColumnType;
  /** Text that is compared and sorted by code point. */
  readonly text: ColumnType;
  /** The folded form of a name (`foldCase`), unique or sorted by. */
  readonly key: ColumnType;
  /** ISO 8601, UTC, milliseconds: sorts as text. */
  readonly timestamp: ColumnType;
  /** JSON as it was written. */
  readonly json: ColumnType;
  /** Bytes. */
  readonly bytes: ColumnType;
}

const sqlite: Dialect = {
  engine: 'sqlite',
  // Without AUTOINCREMENT SQLite would give the number of a deleted last row again.
  id: [sql`integer`, (column) => column.primaryKey().autoIncrement()],
  // Stored as 0 and 1; the declared name tells the driver to read it as a boolean.
  boolean: sql`boolean`,
  integer: sql`integer`,
  real: sql`real`,
  // SQLite compares text byte by byte unless told otherwise.
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
  // The database's own collation depends on where it was made; "C" compares byte by byte, like SQLite.
  text: sql`text collate "C"`,
  key: sql`text collate "C"`,
  timestamp: sql`text collate "C"`,
  json: sql`text`,
  bytes: sql`bytea`,
};

export function dialectOf(engine: EngineName): Dialect {
  return engine === 'sqlite' ? sqlite : postgres;
}

/** Which engine a handle belongs to, for statements that no common form serves. */
export function engineOf(db: Reader): EngineName {
  return sessionOf(db).engine.name;
}

/**
 * The next value of a counter that stays locked until the transaction ends, so that values become visible in their
 * order and one who follows by "greater than the last" misses nothing. A sequence's value can commit late.
 */
export async function lockedCounter(tx: Transaction, name: string): Promise<number> {
  const { value } = await tx
    .insertInto('counters')
    .values({ name, value: 1 })
    .onConflict((conflict) => conflict.column('name').doUpdateSet((eb) => ({ value: eb('counters.value', '+', 1) })))
    .returning('value')
    .executeTakeFirstOrThrow();
  return value;
}

/** The number that the next row of this table would have, for a row of another one that is listed with those. */
export async function nextIdOf(tx: Transaction, table: 'jobs'): Promise<number> {
  if (engineOf(tx) === 'postgres') {
    const next = sql<{ id: number }>`select nextval(pg_get_serial_sequence(${table}, 'id')) as id`;
    return (await next.execute(tx)).rows[0]!.id;
  }
  // SQLite looks up the last one in a table that it keeps, in which a table that never had a row is not.
  const next = sql<{ id: number }>`update sqlite_sequence set seq = seq + 1 where name = ${table} returning seq as id`;
  const { rows } = await next.execute(tx);
  if (rows[0] !== undefined) return rows[0].id;
  await sql`insert into sqlite_sequence (name, seq) values (${table}, 1)`.execute(tx);
  return 1;
}

/**
 * `column in (ids)` for a list that a caller sends: of any length, while an engine takes only so many values in one
 * statement.
 */
export function isAmong(db: Reader, column: Expression<number>, ids: readonly number[]): RawBuilder<SqlBool> {
  if (engineOf(db) === 'sqlite') {
    return sql<SqlBool>`${column} in (select value from json_each(${JSON.stringify(ids)}))`;
  }
  // Of a value PostgreSQL sees how many there are, and looks few up by an index.
  return sql<SqlBool>`${column} = any(${`{${ids.join(',')}}`}::bigint[])`;
}

/** The same of texts. */
export function isAmongTexts(db: Reader, column: Expression<string>, texts: readonly string[]): RawBuilder<SqlBool> {
  // PostgreSQL reads no JSON with half a character in it.
  const list = JSON.stringify(texts.map((text) => text.toWellFormed()));
  return sql<SqlBool>`${column} in (select value from ${eachText(db, sql.val(list))})`;
}

/** How many rows a query has, and the ids of these, its column `id`, as one JSON list; null when there are more than `most`. */
export function idsAsJson(
  db: Reader,
  rows: RawBuilder<unknown>,
  most: number,
): RawBuilder<{ count: number; ids: string | null }> {
  // PostgreSQL makes text of numbers in a list faster than one by one, and of those that nobody asks for none.
  const list =
    engineOf(db) === 'sqlite' ? sql`json_group_array(id)` : sql`coalesce(array_to_json(array_agg(id))::text, '[]')`;
  const ids = sql`case when count(*) <= ${sql.lit(most)} then ${list} end`;
  return sql`select count(*) as count, ${ids} as ids from ${rows} as found`;
}

/** A JSON list of texts as rows, of which each has its text as `value`. */
export function eachText(db: Reader, list: Expression<string>): RawBuilder<{ value: string }> {
  return engineOf(db) === 'sqlite' ? sql`json_each(${list})` : sql`json_array_elements_text(${list}::json)`;
}

/**
 * `column` is among the ids that a query finds, which looks at each row of another table that the whole one reads: the
 * first few of each. The engine looks these up by their ids, and nothing else.
 */
export function isAmongFound(db: Reader, column: Expression<number>, ids: Expression<unknown>): RawBuilder<SqlBool> {
  // PostgreSQL would ask for each row of the column's table whether it is found, unless the ids are a value.
  return engineOf(db) === 'sqlite' ? sql<SqlBool>`${column} in ${ids}` : sql<SqlBool>`${column} = any(array${ids})`;
}

/** `exists (rows)` that is asked of one row after another, as long as a list needs more. */
export function existsForEach(db: Reader, rows: RawBuilder<unknown>): RawBuilder<SqlBool> {
  // PostgreSQL would gather all that any row has before the first one, and not know that a page needs twenty. What has an
  // offset it asks as it is written.
  return engineOf(db) === 'sqlite' ? sql<SqlBool>`exists (${rows})` : sql<SqlBool>`exists (${rows} offset 0)`;
}

/** A column by which SQLite looks no rows up, however few it takes them to be. Nothing but the plan depends on it. */
export function notLookedUpBy<Value>(db: Reader, column: RawBuilder<Value>): RawBuilder<Value> {
  // PostgreSQL takes it for a whole scan, and knows better when one is dear.
  return engineOf(db) === 'sqlite' ? sql<Value>`+${column}` : column;
}

/** A condition as a number in a result, 1 or 0: a bare one reads as a boolean on PostgreSQL and as a number on SQLite. */
export function truth(condition: Expression<SqlBool>): RawBuilder<0 | 1> {
  return sql<0 | 1>`case when ${condition} then 1 else 0 end`;
}

interface Copies {
  /** Whose rows keep copies. */
  readonly table: string;
  /** Its column that names a row of `source` by its id. */
  readonly key: string;
  readonly source: string;
  /** Of `source`; `table` has columns of these names. */
  readonly columns: readonly string[];
}

/**
 * Migrations: rows keep copies of what the row says that they refer to, so that an index of theirs holds it. The database
 * keeps them in step, whoever writes; what is there already gets them now.
 */
export async function keepCopies(
  db: QueryExecutorProvider,
  dialect: Dialect,
  { table, key, source, columns }: Copies,
): Promise<void> {
  const [copies, original, id] = [sql.table(table), sql.table(source), sql.ref(key)];
  const names = sql.join(columns.map((column) => sql.ref(column)));
  const ofNew = sql.join(columns.map((column) => sql.ref(`new.${column}`)));
  const ofOld = sql.join(columns.map((column) => sql.ref(`old.${column}`)));
  const set = sql`update ${copies} set (${names}) =`;
  await sql`${set} (select ${names} from ${original} where ${original}.id = ${copies}.${id})`.execute(db);
  const tell = sql`${set} (${ofNew}) where ${id} = new.id`;
  const [make, change] = [sql.id(`${table}_copies`), sql.id(`${table}_copies_of_${source}`)];
  if (dialect.engine === 'sqlite') {
    const fill = sql`${set} (select ${names} from ${original} where id = new.${id}) where rowid = new.rowid`;
    await sql`create trigger ${make} after insert on ${copies} begin ${fill}; end`.execute(db);
    await sql`create trigger ${change} after update of ${names} on ${original} when (${ofOld}) <> (${ofNew})
      begin ${tell}; end`.execute(db);
    return;
  }
  // PostgreSQL's triggers call functions, and may change a row before it is there.
  const begin = (name: RawBuilder<unknown>, body: RawBuilder<unknown>) =>
    sql`create function ${name}() returns trigger language plpgsql as $$ begin ${body}; return new; end $$`.execute(db);
  await begin(make, sql`select ${names} into ${ofNew} from ${original} where id = new.${id}`);
  await sql`create trigger ${make} before insert on ${copies} for each row execute function ${make}()`.execute(db);
  await begin(change, tell);
  await sql`create trigger ${change} after update of ${names} on ${original} for each row
    when ((${ofOld}) is distinct from (${ofNew})) execute function ${change}()`.execute(db);
}

interface Consequence {
  /** Of the trigger; unique. */
  readonly name: string;
  readonly table: string;
  /** What has been done to a row of it; a change may be one of these columns alone. */
  readonly after: 'insert' | 'delete' | { readonly update: readonly string[] };
  /** Both name the row's columns `new.x` and `old.x`. */
  readonly when: RawBuilder<SqlBool>;
  /** Statements that insert, in which `moment` is the present one: a row knows no other time than the database's. */
  readonly writes: (moment: RawBuilder<string>) => readonly RawBuilder<unknown>[];
}

/**
 * Migrations: what is written whenever rows of a table are, by whatever statement or reference, in their transaction. What
 * all consequences write gets its numbers in the order in which the transactions become visible: one who follows by
 * "greater than the last" misses nothing.
 */
export async function addConsequence(
  db: QueryExecutorProvider,
  dialect: Dialect,
  { name, table, after, when, writes }: Consequence,
): Promise<void> {
  const [trigger, rows] = [sql.id(name), sql.table(table)];
  const event =
    typeof after === 'string' ? sql.raw(after) : sql`update of ${sql.join(after.update.map((one) => sql.ref(one)))}`;
  if (dialect.engine === 'sqlite') {
    // One writer: its numbers are in the order of its commits.
    const statements = writes(sql`strftime('%Y-%m-%dT%H:%M:%fZ', 'now')`);
    const body = sql.join(statements, sql`; `);
    await sql`create trigger ${trigger} after ${event} on ${rows} when ${when} begin ${body}; end`.execute(db);
    return;
  }
  // Run by the commit, and there one after another: numbers are given under a lock that ends with what is committed, and
  // that is held by no transaction which still waits for something else.
  const statements = writes(sql`to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`);
  const body = sql.join(statements, sql`; `);
  await sql`create function ${trigger}() returns trigger language plpgsql as $$ begin
    if ${when} then perform pg_advisory_xact_lock(4827193651); ${body}; end if; return null; end $$`.execute(db);
  await sql`create constraint trigger ${trigger} after ${event} on ${rows} deferrable initially deferred
    for each row execute function ${trigger}()`.execute(db);
}

/** A query for rows to change that passes over rows which another transaction is changing. */
export function skipLocked<DB, TB extends keyof DB, Row>(
  db: Reader,
  query: SelectQueryBuilder<DB, TB, Row>,
): typeof query {
  // SQLite has one writer: nobody else is changing rows.
  return engineOf(db) === 'postgres' ? query.forUpdate().skipLocked() : query;
}

/** Whether a statement failed because its table is not there. */
export function tableMissing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return 'code' in error && error.code === '42P01' ? true : /no such table/.test(error.message);
}

/** Makes this transaction the only one that changes the schema. */
export async function lockSchema(tx: Transaction): Promise<void> {
  // SQLite's transactions begin with the write lock; PostgreSQL's need a lock that two migrating processes agree on.
  if (engineOf(tx) !== 'postgres') return;
  await sql`select pg_advisory_xact_lock(4827193650)`.execute(tx);
  // It changes no table for which something is still to be done at the commit: consequences come at once here.
  await sql`set constraints all immediate`.execute(tx);
}

/**
 * How the engine would run a query: the lines of its plan. For tests that each list has an index that serves it, so
 * PostgreSQL is told not to prefer a scan just because the table is small.
 */
export async function planOf(tx: Transaction, query: { compile(): { sql: string; parameters: readonly unknown[] } }) {
  const { connection, engine } = sessionOf(tx);
  const { sql: text, parameters } = query.compile();
  if (engine.name === 'sqlite') {
    const { rows } = await connection.execute({ sql: `explain query plan ${text}`, parameters });
    return rows.map((row) => String(row.detail));
  }
  await connection.execute({ sql: 'set local enable_seqscan = off', parameters: [] });
  // Nor the whole of an index, which is as cheap where rows are near and few.
  await connection.execute({ sql: 'set local random_page_cost = 4', parameters: [] });
  const { rows } = await connection.execute({ sql: `explain ${text}`, parameters });
  return rows.map((row) => String(row['QUERY PLAN']));
}
