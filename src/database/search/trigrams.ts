import { type QueryExecutorProvider, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Dialect } from '../dialect.ts';

/** For migrations: creates a trigram index on folded columns, for `containsSubstring`. */
export async function makeSearchable(
  db: QueryExecutorProvider,
  dialect: Dialect,
  table: string,
  columns: string | readonly string[],
): Promise<void> {
  await createTrigramIndex(db, dialect, table, [columns].flat(), (text) => text);
}

/**
 * For migrations: creates a trigram index on long texts, for `containsWords`. SQLite's index contains only the beginning of a
 * text, because indexing 1 MiB takes seconds; the few longer rows are scanned.
 */
export async function makeWordsSearchable(
  db: QueryExecutorProvider,
  dialect: Dialect,
  table: string,
  columns: readonly string[],
): Promise<void> {
  await createTrigramIndex(
    db,
    dialect,
    table,
    columns,
    (text) => sql`substr(${text}, 1, ${sql.lit(INDEXED_CHARACTERS)})`,
  );
  if (dialect.engine === 'postgres') return;
  const name = sql.id(`${trigramIndexName(table, columns)}_long`);
  await sql`create index ${name} on ${sql.table(table)} (id) where ${isLongText(columns)}`.execute(db);
}

/**
 * For migrations: like `makeSearchable`, for rows that are updated often. SQLite's index is updated only if a text changes.
 * PostgreSQL gets no index: each update of a row would write all its trigrams again, and its scans block nothing.
 */
export async function makeOftenWrittenSearchable(
  db: QueryExecutorProvider,
  dialect: Dialect,
  table: string,
  columns: readonly string[],
): Promise<void> {
  if (dialect.engine === 'postgres') return;
  const hasChanged = (column: string) => sql`${sql.ref(`old.${column}`)} is not ${sql.ref(`new.${column}`)}`;
  const triggerCondition = sql`when ${sql.join(columns.map(hasChanged), sql` or `)}`;
  await createTrigramIndex(db, dialect, table, columns, (text) => text, triggerCondition);
}

/** Number of characters of a text that the word index contains. */
const INDEXED_CHARACTERS = 16_384;

/** Builds the condition that a row's texts exceed the index. The number is a literal, so that the partial index matches. */
export function isLongText(columns: readonly string[]): RawBuilder<SqlBool> {
  const lengths = columns.map((column) => sql`coalesce(length(${sql.ref(column)}), 0)`);
  return sql<SqlBool>`${sql.join(lengths, sql` + `)} > ${sql.lit(INDEXED_CHARACTERS)}`;
}

async function createTrigramIndex(
  db: QueryExecutorProvider,
  dialect: Dialect,
  table: string,
  columns: readonly string[],
  toIndexedText: (text: RawBuilder<unknown>) => RawBuilder<unknown>,
  triggerCondition: RawBuilder<unknown> = sql``,
): Promise<void> {
  const [rows, name] = [sql.table(table), trigramIndexName(table, columns)];
  if (dialect.engine === 'postgres') {
    await sql`create extension if not exists pg_trgm`.execute(db);
    const parts = sql.join(columns.map((column) => sql`${sql.ref(column)} gin_trgm_ops`));
    await sql`create index ${sql.id(name)} on ${rows} using gin (${parts})`.execute(db);
    return;
  }
  // SQLite's trigram index is a virtual table, which triggers keep up to date.
  const index = sql.table(name);
  const texts = sql.join(columns.map((column) => sql.ref(column)));
  const indexedColumns = (row: 'old' | 'new') =>
    sql.join(columns.map((column) => toIndexedText(sql`${sql.ref(`${row}.${column}`)}`)));
  const addToIndex = sql`insert into ${index} (rowid, ${texts}) values (new.id, ${indexedColumns('new')})`;
  const deleteFromIndex = sql`insert into ${index} (${sql.ref(name)}, rowid, ${texts}) values ('delete', old.id, ${indexedColumns('old')})`;
  const toTriggerName = (suffix: string) => sql.id(`${name}_${suffix}`);
  await sql`create virtual table ${index} using fts5 (${texts}, content=${sql.lit(table)}, content_rowid='id', tokenize='trigram case_sensitive 1')`.execute(
    db,
  );
  await sql`create trigger ${toTriggerName('add')} after insert on ${rows} begin ${addToIndex}; end`.execute(db);
  await sql`create trigger ${toTriggerName('take')} after delete on ${rows} begin ${deleteFromIndex}; end`.execute(db);
  await sql`create trigger ${toTriggerName('change')} after update of ${texts} on ${rows} ${triggerCondition} begin ${deleteFromIndex}; ${addToIndex}; end`.execute(
    db,
  );
  await sql`insert into ${index} (${sql.ref(name)}) values ('rebuild')`.execute(db);
}

/** Returns the name of a trigram index. */
export const trigramIndexName = (table: string, columns: readonly string[]) => `${table}_${columns.join('_')}_trigrams`;

/** Quotes a substring as a phrase for SQLite's FTS5. */
export const toFtsPhrase = (part: string) => `"${part.replaceAll('"', '""')}"`;
