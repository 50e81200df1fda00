import { LRUCache } from 'lru-cache';
import type { Row, Statement, StatementResult } from './engine.ts';

/** What is kept at most of all statements together, in characters of text (another value counts as eight). */
const KEPT = 16 * 2 ** 20;

/**
 * What statements have read, for as long as the database's version is the same. The rows are frozen, because many will
 * hold them.
 */
export class ReadMemory {
  readonly #results = new LRUCache<string, StatementResult>({
    maxSize: KEPT,
    maxEntrySize: KEPT / 16,
    sizeCalculation: ({ rows }, key) => key.length + rows.reduce((sum, row) => sum + charactersOf(row), 0),
  });
  #version: unknown;

  /** Forgets what was read at another version than this one. */
  moveTo(version: unknown): void {
    if (version !== this.#version) this.#results.clear();
    this.#version = version;
  }

  /**
   * What the statement has read since the version is what it is, or reads now. Kept only when the version has not moved
   * on meanwhile: a statement that began before a commit may end after it.
   */
  async read(statement: Statement, execute: (statement: Statement) => Promise<StatementResult>) {
    const key = `${statement.name ?? statement.sql} ${JSON.stringify(statement.parameters)}`;
    const known = this.#results.get(key);
    if (known !== undefined) return known;
    const version = this.#version;
    const result = await execute(statement);
    for (const row of result.rows) Object.freeze(row);
    Object.freeze(result.rows);
    if (version === this.#version) this.#results.set(key, result);
    return result;
  }
}

function charactersOf(row: Row): number {
  let sum = 0;
  for (const name in row) {
    const value = row[name];
    sum += typeof value === 'string' ? value.length : 8;
  }
  return sum;
}
