import { LRUCache } from 'lru-cache';
import { AdmissionFilter } from '#runtime/bounded-cache.ts';
import { estimateHeapSize } from '#runtime/heap-size.ts';
import type {
  CacheCounts,
  ClientContext,
  Connection,
  MaybePromise,
  ReadSet,
  Statement,
  StatementResult,
} from '../engines/engine.ts';
import type { TableVersions } from './table-versions.ts';

/** Maximum heap size of the cache in bytes. */
const MAX_BYTES = 8 * 2 ** 20;
/** Overhead of an entry in bytes: its slot in the cache and the object around the rows. */
const ENTRY_BYTES = 250;

interface CacheEntry {
  readonly result: StatementResult;
  /** The tables that were read. */
  readonly tables: readonly string[];
  /** Number of commits of this process before the read. */
  readonly commitCount: number;
}

/** The statements of a request. */
interface ReadRecorder extends ReadSet {
  recordRead(statement: Statement): void;
  /** Returns the tables that were read so far, without the statements. */
  getReadSet(): ReadSet;
}

/**
 * Caches the results of repeated statements. A result is valid until this process writes one of its tables, or until the
 * version changes, which means that another process has committed.
 */
export class QueryCache {
  readonly #results = new LRUCache<string, CacheEntry>({
    maxSize: MAX_BYTES,
    maxEntrySize: MAX_BYTES / 16,
    sizeCalculation: ({ result }, key) => ENTRY_BYTES + estimateHeapSize(key) + estimateHeapSize(result.rows),
  });
  readonly #admissionFilter = new AdmissionFilter();
  readonly #versions: TableVersions;
  readonly #counts = { hits: 0, misses: 0 };
  #version: unknown;

  constructor(versions: TableVersions) {
    this.#versions = versions;
  }

  /** The counts since the process started. */
  get counts(): CacheCounts {
    return this.#counts;
  }

  clear(): void {
    this.#results.clear();
  }

  /** Sets the version, which changes when another process commits. Clears the cache if it has changed. */
  setVersion(version: unknown): void {
    if (version === this.#version) return;
    this.#results.clear();
    this.#version = version;
  }

  /** Returns a recorder for the statements of a request, to check later whether their results are still current. */
  trackReads(): ReadRecorder {
    const version = this.#version;
    const commitCount = this.#versions.commitCount;
    const statements: string[] = [];
    const findTables = () => [...new Set(statements.flatMap((sql) => this.#versions.findReadTables(sql)))];
    const areCurrent = (tables: () => readonly string[]) =>
      version === this.#version &&
      (commitCount === this.#versions.commitCount || this.#versions.areUnchangedSince(tables(), commitCount));
    return {
      recordRead: ({ sql }) => void statements.push(sql),
      isCurrent: () => areCurrent(findTables),
      getReadSet: () => {
        const tables = findTables();
        return { isCurrent: () => areCurrent(() => tables) };
      },
    };
  }

  /**
   * Returns the cached result of the statement, or runs it. The result is cached only if the version has not changed meanwhile:
   * a statement that began before a commit may end after it.
   */
  read(statement: Statement, execute: Connection['execute'], origin?: ClientContext): MaybePromise<StatementResult> {
    const key = `${statement.name ?? statement.sql} ${JSON.stringify(statement.parameters)}`;
    const cachedEntry = this.#results.get(key);
    if (cachedEntry !== undefined && this.#versions.areUnchangedSince(cachedEntry.tables, cachedEntry.commitCount)) {
      this.#counts.hits++;
      return cachedEntry.result;
    }
    this.#counts.misses++;
    const version = this.#version;
    const commitCount = this.#versions.commitCount;
    const result = execute(statement, origin);
    // Only repeated statements are cached.
    if (!this.#admissionFilter.admit(key)) return result;
    const store = (statementResult: StatementResult) => {
      freezeRows(statementResult);
      const tables = this.#versions.findReadTables(statement.sql);
      if (version === this.#version) this.#results.set(key, { result: statementResult, tables, commitCount });
      return statementResult;
    };
    return result instanceof Promise ? result.then(store) : store(result);
  }
}

/** Freezes rows that several callers share, and returns the result. */
function freezeRows(result: StatementResult): StatementResult {
  for (const row of result.rows) Object.freeze(row);
  Object.freeze(result.rows);
  return result;
}
