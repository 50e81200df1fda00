import { type Expression, type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { Reader, Transaction } from './database.ts';
import type { EngineName } from './engines/engine.ts';
import { SERVER_APPLICATION_NAME } from './engines/postgres/postgres.ts';
import { getSession } from './sessions.ts';

// Only this folder distinguishes the engines. Each difference is explained where it is made.

/**
 * Returns the number of sessions that servers have on this database. SQLite has no sessions, and one server, which locks the data
 * directory.
 */
export async function countServerSessions(db: Reader): Promise<number> {
  if (getEngineName(db) === 'sqlite') return 0;
  const { rows } = await sql<{ count: number }>`select count(*) as count from pg_stat_activity
    where datname = current_database() and application_name = ${SERVER_APPLICATION_NAME}`.execute(db);
  return rows[0]!.count;
}

/** Returns the engine of a handle, for statements that have no common form. */
export function getEngineName(db: Reader): EngineName {
  return getSession(db).engine.name;
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
  if (getEngineName(db) === 'sqlite')
    return sql<SqlBool>`${column} in (select value from json_each(${JSON.stringify(ids)}))`;
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
  // The engines would turn the condition into a join over all rows, although a page needs twenty: SQLite 3.53 fills a Bloom filter
  // with all related rows before the first one. LIMIT and OFFSET prevent that.
  return getEngineName(db) === 'sqlite'
    ? sql<SqlBool>`exists (${subquery} limit 1)`
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

/** Builds the condition that a value is, or is not, among others, which the engine collects once. The comparison keeps PostgreSQL from a join, and from the estimate that few rows match. */
export function isAmongCollected(
  value: Expression<unknown>,
  others: Expression<unknown>,
  isMatch = true,
): RawBuilder<SqlBool> {
  const isAmong = isMatch ? sql<SqlBool>`${value} in (${others})` : sql<SqlBool>`${value} not in (${others})`;
  return sql<SqlBool>`${toZeroOrOne(isAmong)} <> 0`;
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

/**
 * Makes an external text storable in both engines: NULs, which PostgreSQL rejects, and lone surrogates become U+FFFD.
 */
export function toStorableText(text: string): string {
  return (text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text).toWellFormed();
}
