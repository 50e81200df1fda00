import { LRUCache } from 'lru-cache';
import { AskedBefore } from '../asked-before.ts';
import { bytesOf } from '../memory-size.ts';
import type { Connection, Soon, Statement, StatementResult } from './engine.ts';

/** What is kept at most of all statements together, in bytes of the heap. */
const KEPT = 8 * 2 ** 20;
/** Of an entry besides: its place in the cache, and the result around the rows. */
const ENTRY = 250;

/** What statements that come again have read, for as long as the database's version is the same. */
export class ReadMemory {
  readonly #results = new LRUCache<string, StatementResult>({
    maxSize: KEPT,
    maxEntrySize: KEPT / 16,
    sizeCalculation: ({ rows }, key) => ENTRY + bytesOf(key) + bytesOf(rows),
  });
  readonly #asked = new AskedBefore();
  #version: unknown;

  forget(): void {
    this.#results.clear();
  }

  /** Forgets what was read at another version than this one. */
  moveTo(version: unknown): void {
    if (version !== this.#version) this.#results.clear();
    this.#version = version;
  }

  /**
   * What the statement has read since the version is what it is, or reads now. Kept only when the version has not moved
   * on meanwhile: a statement that began before a commit may end after it.
   */
  read(statement: Statement, execute: Connection['execute']): Soon<StatementResult> {
    const key = `${statement.name ?? statement.sql} ${JSON.stringify(statement.parameters)}`;
    const known = this.#results.get(key);
    if (known !== undefined) return known;
    const version = this.#version;
    const result = execute(statement);
    if (!this.#asked.note(key)) return result;
    if (!(result instanceof Promise)) return this.#keep(key, version, result);
    return result.then((read) => this.#keep(key, version, read));
  }

  /** Frozen, because many will hold them. */
  #keep(key: string, version: unknown, result: StatementResult): StatementResult {
    for (const row of result.rows) Object.freeze(row);
    Object.freeze(result.rows);
    if (version === this.#version) this.#results.set(key, result);
    return result;
  }
}
