import { LRUCache } from 'lru-cache';
import { AskedBefore } from '../asked-before.ts';
import { bytesOf } from '../memory-size.ts';
import type { Connection, Reads, Soon, Statement, StatementResult } from './engine.ts';
import type { TableVersions } from './table-versions.ts';

/** What is kept at most of all statements together, in bytes of the heap. */
const KEPT = 8 * 2 ** 20;
/** Of an entry besides: its place in the cache, and the result around the rows. */
const ENTRY = 250;

const NONE: readonly string[] = [];

interface Entry {
  readonly result: StatementResult;
  /** What it was read of, and after how many commits. */
  readonly tables: readonly string[];
  readonly commits: number;
}

interface Asked extends Omit<Entry, 'result'> {
  readonly key: string;
  readonly version: unknown;
}

/**
 * What statements that come again have read, for as long as nobody has written the tables that they name, nor another
 * process anything: that is what another version means.
 */
export class ReadMemory {
  readonly #results = new LRUCache<string, Entry>({
    maxSize: KEPT,
    maxEntrySize: KEPT / 16,
    sizeCalculation: ({ result }, key) => ENTRY + bytesOf(key) + bytesOf(result.rows),
  });
  readonly #asked = new AskedBefore();
  readonly #versions: TableVersions;
  #version: unknown;

  constructor(versions: TableVersions) {
    this.#versions = versions;
  }

  forget(): void {
    this.#results.clear();
  }

  /** Forgets what was read at another version than this one. */
  moveTo(version: unknown): void {
    if (version !== this.#version) this.#results.clear();
    this.#version = version;
  }

  /** For who wants to know later whether what he notes from now on, when he reads it, is as it was. */
  notes(): { note(statement: Statement): void; reads(): Reads } {
    const [version, { commits }] = [this.#version, this.#versions];
    const statements: string[] = [];
    return {
      note: ({ sql }) => void statements.push(sql),
      reads: () => {
        const tables = [...new Set(statements.flatMap((sql) => this.#versions.readBy(sql)))];
        return { hold: () => version === this.#version && this.#versions.unchanged(tables, commits) };
      },
    };
  }

  /**
   * What the statement has read since the version is what it is, or reads now. Kept only when the version has not moved
   * on meanwhile: a statement that began before a commit may end after it.
   */
  read(statement: Statement, execute: Connection['execute']): Soon<StatementResult> {
    const key = `${statement.name ?? statement.sql} ${JSON.stringify(statement.parameters)}`;
    const known = this.#results.get(key);
    if (known !== undefined && this.#isAsBefore(known)) return known.result;
    const asked = { key, version: this.#version, tables: NONE, commits: this.#versions.commits };
    const result = execute(statement);
    if (!this.#asked.note(key)) return result;
    asked.tables = this.#versions.readBy(statement.sql);
    if (!(result instanceof Promise)) return this.#keep(asked, result);
    return result.then((read) => this.#keep(asked, read));
  }

  #isAsBefore({ tables, commits }: Pick<Entry, 'tables' | 'commits'>): boolean {
    return this.#versions.unchanged(tables, commits);
  }

  /** Frozen, because many will hold them. */
  #keep({ key, version, tables, commits }: Asked, result: StatementResult): StatementResult {
    for (const row of result.rows) Object.freeze(row);
    Object.freeze(result.rows);
    if (version === this.#version) this.#results.set(key, { result, tables, commits });
    return result;
  }
}
