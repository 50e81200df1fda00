import type { Transaction } from './database.ts';
import type { EngineName } from './engines/engine.ts';
import type { MigrationDb } from './migrations/migration.ts';
import { getSession } from './sessions.ts';

/** Returns SQL statements for an engine. Each statement ends with a semicolon. */
export type EngineSql = (engine: EngineName) => string;

/** Column types of `ddl` texts, and their form on each engine. */
const COLUMN_TYPES: Readonly<Record<string, Readonly<Record<EngineName, string>>>> = {
  // The primary key; ids are never reused. Without AUTOINCREMENT, SQLite would reuse the id of a deleted last row.
  id: { sqlite: 'integer primary key autoincrement', postgres: 'bigint generated always as identity primary key' },
  // Ids of other rows, counts, sizes: up to 2^53.
  integer: { sqlite: 'integer', postgres: 'bigint' },
  real: { sqlite: 'real', postgres: 'double precision' },
  // Compared and sorted by code point, as SQLite does by default. The default of PostgreSQL depends on the server's locale.
  text: { sqlite: 'text', postgres: 'text collate "C"' },
  // ISO 8601, UTC, milliseconds: sorts as text.
  timestamp: { sqlite: 'text', postgres: 'text collate "C"' },
  // Stored by SQLite as 0 and 1; the declared name tells the driver to read them as booleans.
  boolean: { sqlite: 'boolean', postgres: 'boolean' },
  // JSON text, stored unchanged.
  json: { sqlite: 'text', postgres: 'text' },
  bytes: { sqlite: 'blob', postgres: 'bytea' },
};

/** Matches the beginning of a column definition, which has a line of its own: indentation or `add column`, name, type. */
const COLUMN = /^((?: +|alter table \w+ add column )\w+) (\w+)/;

function translateLine(line: string, engine: EngineName): string {
  return line.replace(COLUMN, (text, start: string, type: string) => {
    const columnType = COLUMN_TYPES[type]?.[engine];
    return columnType === undefined ? text : `${start} ${columnType}`;
  });
}

/**
 * Returns the statements of a text that creates or changes tables. Column types are those of `COLUMN_TYPES`; whatever else
 * differs between the engines is inserted as an EngineSql:
 *
 *   ddl`
 *     create table users (
 *       id id,
 *       name text not null,
 *       name_key text not null,
 *       -- Null: never.
 *       signed_in_at timestamp
 *     );
 *     create unique index users_by_name on users (name_key);
 *     ${trigramIndex('users', 'name_key')}
 *   `
 *
 * Each column and each comment has a line of its own.
 */
export function ddl({ raw }: TemplateStringsArray, ...values: readonly EngineSql[]): EngineSql {
  return (engine) =>
    raw
      .map((text, index) => {
        const lines = text.split('\n').filter((line) => !line.trimStart().startsWith('--'));
        return `${lines.map((line) => translateLine(line, engine)).join('\n')}${values[index]?.(engine) ?? ''}`;
      })
      .join('');
}

/** Runs the statements of a `ddl` text. */
export async function runStatements(db: MigrationDb | Transaction, statements: EngineSql): Promise<void> {
  const { engine, connection } = getSession(db as Transaction);
  await connection.execute({ sql: statements(engine.name), parameters: [], isScript: true });
}
