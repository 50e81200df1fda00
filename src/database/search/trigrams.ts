import { type QueryExecutorProvider, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Dialect } from '../dialect.ts';

/** The index of trigrams, which either engine has in its own way: how it is made, and how it is asked. */

/** Migrations: makes parts of the texts in folded columns findable by an index, for `containing`. */
export async function makeSearchable(
  db: QueryExecutorProvider,
  dialect: Dialect,
  table: string,
  columns: string | readonly string[],
): Promise<void> {
  await makeTrigrams(db, dialect, table, [columns].flat(), (text) => text);
}

/**
 * Migrations: the same for long texts, for `containingWords`. SQLite's index holds their beginnings, because somebody's
 * 1 MiB would keep it busy for seconds; rows that have more are few, and looked through.
 */
export async function makeWordsSearchable(
  db: QueryExecutorProvider,
  dialect: Dialect,
  table: string,
  columns: readonly string[],
): Promise<void> {
  await makeTrigrams(db, dialect, table, columns, (text) => sql`substr(${text}, 1, ${sql.lit(INDEXED)})`);
  if (dialect.engine === 'postgres') return;
  const name = sql.id(`${searchName(table, columns)}_long`);
  await sql`create index ${name} on ${sql.table(table)} (id) where ${isLongText(columns)}`.execute(db);
}

/**
 * Migrations: as `makeSearchable`, of rows that are written again and again. SQLite's index hears of texts that are other ones
 * than before, and of nothing else; PostgreSQL has none: it would write all parts of a row anew with whatever is written of it,
 * and its searches hold up nobody.
 */
export async function makeOftenWrittenSearchable(
  db: QueryExecutorProvider,
  dialect: Dialect,
  table: string,
  columns: readonly string[],
): Promise<void> {
  if (dialect.engine === 'postgres') return;
  const isOther = (column: string) => sql`${sql.ref(`old.${column}`)} is not ${sql.ref(`new.${column}`)}`;
  const when = sql`when ${sql.join(columns.map(isOther), sql` or `)}`;
  await makeTrigrams(db, dialect, table, columns, (text) => text, when);
}

/** Characters of a text that the index of its words holds. */
const INDEXED = 16_384;

/** Written out with its number, because only so does the index of the few rows that are so serve. */
export function isLongText(columns: readonly string[]): RawBuilder<SqlBool> {
  const lengths = columns.map((column) => sql`coalesce(length(${sql.ref(column)}), 0)`);
  return sql<SqlBool>`${sql.join(lengths, sql` + `)} > ${sql.lit(INDEXED)}`;
}

async function makeTrigrams(
  db: QueryExecutorProvider,
  dialect: Dialect,
  table: string,
  names: readonly string[],
  indexed: (text: RawBuilder<unknown>) => RawBuilder<unknown>,
  when: RawBuilder<unknown> = sql``,
): Promise<void> {
  const [rows, name] = [sql.table(table), searchName(table, names)];
  if (dialect.engine === 'postgres') {
    await sql`create extension if not exists pg_trgm`.execute(db);
    const parts = sql.join(names.map((column) => sql`${sql.ref(column)} gin_trgm_ops`));
    await sql`create index ${sql.id(name)} on ${rows} using gin (${parts})`.execute(db);
    return;
  }
  // SQLite's trigrams are a table of its own, which triggers keep in step with the columns.
  const index = sql.table(name);
  const texts = sql.join(names.map((column) => sql.ref(column)));
  const of = (row: 'old' | 'new') => sql.join(names.map((column) => indexed(sql`${sql.ref(`${row}.${column}`)}`)));
  const add = sql`insert into ${index} (rowid, ${texts}) values (new.id, ${of('new')})`;
  const take = sql`insert into ${index} (${sql.ref(name)}, rowid, ${texts}) values ('delete', old.id, ${of('old')})`;
  const trigger = (suffix: string) => sql.id(`${name}_${suffix}`);
  await sql`create virtual table ${index} using fts5 (${texts}, content=${sql.lit(table)}, content_rowid='id', tokenize='trigram case_sensitive 1')`.execute(
    db,
  );
  await sql`create trigger ${trigger('add')} after insert on ${rows} begin ${add}; end`.execute(db);
  await sql`create trigger ${trigger('take')} after delete on ${rows} begin ${take}; end`.execute(db);
  await sql`create trigger ${trigger('change')} after update of ${texts} on ${rows} ${when} begin ${take}; ${add}; end`.execute(
    db,
  );
  await sql`insert into ${index} (${sql.ref(name)}) values ('rebuild')`.execute(db);
}

/** What an index of trigrams is called. */
export const searchName = (table: string, columns: readonly string[]) => `${table}_${columns.join('_')}_trigrams`;

/** A part, as SQLite's index is asked for it. */
export const phrase = (part: string) => `"${part.replaceAll('"', '""')}"`;
