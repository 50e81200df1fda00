import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { EngineSql } from '../ddl.ts';

/** Creates a trigram index on folded columns, for `containsSubstring`. */
export function trigramIndex(table: string, ...columns: readonly string[]): EngineSql {
  return createTrigramIndex({ table, columns });
}

/**
 * Creates a trigram index on long texts, for `containsWords`. SQLite's index contains only the beginning of a text, because
 * indexing 1 MiB takes seconds; the few longer rows are scanned.
 */
export function wordIndex(table: string, ...columns: readonly string[]): EngineSql {
  const trigrams = createTrigramIndex({
    table,
    columns,
    toIndexedText: (text) => `substr(${text}, 1, ${INDEXED_CHARACTERS})`,
  });
  const longTexts = `create index ${getTrigramIndexName(table, columns)}_long on ${table} (id) where ${formatIsLongText(columns)};\n`;
  return (engine) => `${trigrams(engine)}${engine === 'sqlite' ? longTexts : ''}`;
}

/**
 * Creates a trigram index for `containsSubstring` on rows that are updated often. SQLite's index is updated only if a text
 * changes. PostgreSQL gets no index: each update of a row would write all its trigrams again, and its scans block nothing.
 */
export function trigramIndexOfFrequentlyUpdatedRows(table: string, ...columns: readonly string[]): EngineSql {
  const hasChanged = columns.map((column) => `old.${column} is not new.${column}`).join(' or ');
  const trigrams = createTrigramIndex({ table, columns, updateCondition: `when ${hasChanged} ` });
  return (engine) => (engine === 'sqlite' ? trigrams(engine) : '');
}

/** Number of characters of a text that the word index contains. */
const INDEXED_CHARACTERS = 16_384;

/** Builds the condition that a row's texts are longer than their indexed beginning, in the form of the partial index. */
export function isLongText(columns: readonly string[]): RawBuilder<SqlBool> {
  return sql.raw<SqlBool>(formatIsLongText(columns));
}

function formatIsLongText(columns: readonly string[]): string {
  const lengths = columns.map((column) => `coalesce(length(${column}), 0)`);
  return `${lengths.join(' + ')} > ${INDEXED_CHARACTERS}`;
}

interface TrigramIndex {
  readonly table: string;
  readonly columns: readonly string[];
  /** Returns the text that SQLite indexes. */
  readonly toIndexedText?: (text: string) => string;
  /** Limits the updates of SQLite's index. */
  readonly updateCondition?: string;
}

function createTrigramIndex({
  table,
  columns,
  toIndexedText = (text) => text,
  updateCondition = '',
}: TrigramIndex): EngineSql {
  const index = getTrigramIndexName(table, columns);
  const names = columns.join(', ');
  const listTexts = (row: 'old' | 'new') => columns.map((column) => toIndexedText(`${row}.${column}`)).join(', ');
  const addToIndex = `insert into ${index} (rowid, ${names}) values (new.id, ${listTexts('new')})`;
  // FTS5 takes commands as inserts into the column with the name of the table; `delete` needs the indexed texts.
  const deleteFromIndex = `insert into ${index} (${index}, rowid, ${names}) values ('delete', old.id, ${listTexts('old')})`;
  return (engine) =>
    engine === 'sqlite'
      ? // SQLite's trigram index is a virtual table, which triggers keep up to date.
        `create virtual table ${index} using fts5 (${names}, content='${table}', content_rowid='id', tokenize='trigram case_sensitive 1');
create trigger ${index}_add after insert on ${table} begin ${addToIndex}; end;
create trigger ${index}_take after delete on ${table} begin ${deleteFromIndex}; end;
create trigger ${index}_change after update of ${names} on ${table} ${updateCondition}begin ${deleteFromIndex}; ${addToIndex}; end;
insert into ${index} (${index}) values ('rebuild');
`
      : `create extension if not exists pg_trgm;
create index ${index} on ${table} using gin (${columns.map((column) => `${column} gin_trgm_ops`).join(', ')});
`;
}

/** Returns the name of a trigram index. */
export const getTrigramIndexName = (table: string, columns: readonly string[]) =>
  `${table}_${columns.join('_')}_trigrams`;

/** Quotes a substring as a phrase for SQLite's FTS5. */
export const toFtsPhrase = (part: string) => `"${part.replaceAll('"', '""')}"`;
