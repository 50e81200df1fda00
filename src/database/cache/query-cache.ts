import { LRUCache } from 'lru-cache';
import { AskedBefore } from '#runtime/admission-filter.ts';
import { bytesOf } from '#runtime/heap-size.ts';
import type { Connection, Reads, Soon, Statement, StatementResult } from '../engines/engine.ts';
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

/** A statement that has begun and has no result yet. */
interface UnderWay {
  readonly result: Promise<StatementResult>;
  readonly commits: number;
  /** Others wait for it too. */
  shared: boolean;
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
  /** Of what has begun at this version: whoever asks the same gets the same. */
  readonly #underWay = new Map<string, UnderWay>();
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
    if (version === this.#version) return;
    this.#results.clear();
    this.#underWay.clear();
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
    const { commits } = this.#versions;
    const running = this.#underWay.get(key);
    if (running !== undefined && this.#isAsBefore({ tables: this.#versions.readBy(statement.sql), ...running })) {
      running.shared = true;
      return running.result;
    }
    const asked = { key, version: this.#version, tables: NONE, commits };
    const result = this.#begun(key, execute(statement), commits);
    if (!this.#asked.note(key)) return result;
    asked.tables = this.#versions.readBy(statement.sql);
    if (!(result instanceof Promise)) return this.#keep(asked, result);
    return result.then((read) => this.#keep(asked, read));
  }

  /**
   * Where a statement takes its time those who ask the same meanwhile wait for it, and don't ask again, unless its tables have
   * been written since it began: it is no older than what they know of.
   */
  #begun(key: string, result: Soon<StatementResult>, commits: number): Soon<StatementResult> {
    if (!(result instanceof Promise)) return result;
    const over = () => {
      if (this.#underWay.get(key) === running) this.#underWay.delete(key);
    };
    const told = result.then(
      (read) => {
        over();
        return running.shared ? frozen(read) : read;
      },
      (error) => {
        over();
        throw error;
      },
    );
    const running: UnderWay = { result: told, commits, shared: false };
    this.#underWay.set(key, running);
    return told;
  }

  #isAsBefore({ tables, commits }: Pick<Entry, 'tables' | 'commits'>): boolean {
    return this.#versions.unchanged(tables, commits);
  }

  #keep({ key, version, tables, commits }: Asked, result: StatementResult): StatementResult {
    frozen(result);
    if (version === this.#version) this.#results.set(key, { result, tables, commits });
    return result;
  }
}

/** Because many will hold it. */
function frozen(result: StatementResult): StatementResult {
  for (const row of result.rows) Object.freeze(row);
  Object.freeze(result.rows);
  return result;
}
