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
  const name = sql.id(`${getTrigramIndexName(table, columns)}_long`);
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

/** Builds the condition that a row's texts are longer than their indexed beginning. The literal matches the partial index. */
export function isLongText(columns: readonly string[]): RawBuilder<SqlBool> {
  const lengths = columns.map((column) => sql`coalesce(length(${sql.ref(column)}), 0)`);
  return sql<SqlBool>`${sql.join(lengths, sql` + `)} > ${sql.lit(INDEXED_CHARACTERS)}`;
}

/** Creates the index. `toIndexedText` builds the text that SQLite indexes; `triggerCondition` limits the updates of SQLite's index. */
async function createTrigramIndex(
  db: QueryExecutorProvider,
  dialect: Dialect,
  table: string,
  columns: readonly string[],
  toIndexedText: (text: RawBuilder<unknown>) => RawBuilder<unknown>,
  triggerCondition: RawBuilder<unknown> = sql``,
): Promise<void> {
  const [tableRef, name] = [sql.table(table), getTrigramIndexName(table, columns)];
  if (dialect.engine === 'postgres') {
    await sql`create extension if not exists pg_trgm`.execute(db);
    const indexedColumns = sql.join(columns.map((column) => sql`${sql.ref(column)} gin_trgm_ops`));
    await sql`create index ${sql.id(name)} on ${tableRef} using gin (${indexedColumns})`.execute(db);
    return;
  }
  // SQLite's trigram index is a virtual table, which triggers keep up to date.
  const index = sql.table(name);
  const columnRefs = sql.join(columns.map((column) => sql.ref(column)));
  const indexedTexts = (row: 'old' | 'new') =>
    sql.join(columns.map((column) => toIndexedText(sql`${sql.ref(`${row}.${column}`)}`)));
  const addToIndex = sql`insert into ${index} (rowid, ${columnRefs}) values (new.id, ${indexedTexts('new')})`;
  // FTS5 takes commands as inserts into the column with the name of the table; `delete` needs the indexed texts.
  const deleteFromIndex = sql`insert into ${index} (${sql.ref(name)}, rowid, ${columnRefs}) values ('delete', old.id, ${indexedTexts('old')})`;
  const toTriggerName = (suffix: string) => sql.id(`${name}_${suffix}`);
  await sql`create virtual table ${index} using fts5 (${columnRefs}, content=${sql.lit(table)}, content_rowid='id', tokenize='trigram case_sensitive 1')`.execute(
    db,
  );
  await sql`create trigger ${toTriggerName('add')} after insert on ${tableRef} begin ${addToIndex}; end`.execute(db);
  await sql`create trigger ${toTriggerName('take')} after delete on ${tableRef} begin ${deleteFromIndex}; end`.execute(
    db,
  );
  await sql`create trigger ${toTriggerName('change')} after update of ${columnRefs} on ${tableRef} ${triggerCondition} begin ${deleteFromIndex}; ${addToIndex}; end`.execute(
    db,
  );
  await sql`insert into ${index} (${sql.ref(name)}) values ('rebuild')`.execute(db);
}

/** Returns the name of a trigram index. */
export const getTrigramIndexName = (table: string, columns: readonly string[]) =>
  `${table}_${columns.join('_')}_trigrams`;

/** Quotes a substring as a phrase for SQLite's FTS5. */
export const toFtsPhrase = (part: string) => `"${part.replaceAll('"', '""')}"`;
