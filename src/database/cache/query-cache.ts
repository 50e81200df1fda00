import { LRUCache } from 'lru-cache';
import { AdmissionFilter } from '#runtime/bounded-cache.ts';
import { ClientDisconnected } from '#runtime/concurrency-limiter.ts';
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
import { getLongStatementKind } from '../engines/long-statements.ts';
import type { TableVersions } from './table-versions.ts';

/** Maximum heap size of the cache in bytes. */
const MAX_BYTES = 8 * 2 ** 20;
/** Overhead of an entry in bytes: its slot in the cache and the object around the rows. */
const ENTRY_BYTES = 250;

const NO_TABLES: readonly string[] = [];

interface CacheEntry {
  readonly result: StatementResult;
  /** The tables that were read. */
  readonly tables: readonly string[];
  /** Number of commits of this process before the read. */
  readonly commitCount: number;
}

/** A cache entry whose result is not known yet. */
interface PendingEntry extends Omit<CacheEntry, 'result'> {
  readonly key: string;
  readonly version: unknown;
}

/** A statement that is running. */
interface RunningQuery {
  readonly result: Promise<StatementResult>;
  /** Number of commits of this process when the statement began. */
  readonly commitCount: number;
  /** Whether several callers wait for the result. */
  isShared: boolean;
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
  /** Running statements of this version, by statement: callers of the same statement share the result. */
  readonly #runningQueries = new Map<string, RunningQuery>();
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
    this.#runningQueries.clear();
    this.#version = version;
  }

  /** Returns a recorder for the statements of a request, to check later whether their results are still current. */
  trackReads(): { recordRead(statement: Statement): void; getReadSet(): ReadSet } {
    const version = this.#version;
    const commitCount = this.#versions.commitCount;
    const statements: string[] = [];
    return {
      recordRead: ({ sql }) => void statements.push(sql),
      getReadSet: () => {
        const tables = [...new Set(statements.flatMap((sql) => this.#versions.findReadTables(sql)))];
        return { isCurrent: () => version === this.#version && this.#versions.areUnchangedSince(tables, commitCount) };
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
    if (cachedEntry !== undefined && this.#isUnchanged(cachedEntry)) {
      this.#counts.hits++;
      return cachedEntry.result;
    }
    const commitCount = this.#versions.commitCount;
    // Long statements are shared within one network only: each network has its own queue.
    const runningKey = getLongStatementKind(statement) === null ? key : `${origin?.network} ${key}`;
    const runningQuery = this.#runningQueries.get(runningKey);
    if (
      runningQuery !== undefined &&
      this.#isUnchanged({ tables: this.#versions.findReadTables(statement.sql), ...runningQuery })
    ) {
      runningQuery.isShared = true;
      this.#counts.hits++;
      return runningQuery.result.catch((error) => {
        // The first caller has disconnected, which canceled the statement for all callers.
        if (!(error instanceof ClientDisconnected) || origin?.client?.isDisconnected) throw error;
        return this.read(statement, execute, origin);
      });
    }
    this.#counts.misses++;
    const newEntry = { key, version: this.#version, tables: NO_TABLES, commitCount };
    const result = this.#trackRunning(runningKey, execute(statement, origin), commitCount);
    // Only repeated statements are cached.
    if (!this.#admissionFilter.admit(key)) return result;
    newEntry.tables = this.#versions.findReadTables(statement.sql);
    if (!(result instanceof Promise)) return this.#store(newEntry, result);
    return result.then((statementResult) => this.#store(newEntry, statementResult));
  }

  /**
   * Registers a running statement: callers of the same statement wait for it instead of running it again, unless its tables have
   * been written since it began. Therefore no caller gets a result that is older than its call.
   */
  #trackRunning(
    key: string,
    result: MaybePromise<StatementResult>,
    commitCount: number,
  ): MaybePromise<StatementResult> {
    if (!(result instanceof Promise)) return result;
    const removeRunning = () => {
      if (this.#runningQueries.get(key) === runningQuery) this.#runningQueries.delete(key);
    };
    const settledResult = result.then(
      (statementResult) => {
        removeRunning();
        return runningQuery.isShared ? freezeRows(statementResult) : statementResult;
      },
      (error) => {
        removeRunning();
        throw error;
      },
    );
    const runningQuery: RunningQuery = { result: settledResult, commitCount, isShared: false };
    this.#runningQueries.set(key, runningQuery);
    return settledResult;
  }

  #isUnchanged({ tables, commitCount }: Pick<CacheEntry, 'tables' | 'commitCount'>): boolean {
    return this.#versions.areUnchangedSince(tables, commitCount);
  }

  /** Caches the result, unless another process has committed since the statement began. Returns the frozen result. */
  #store({ key, version, tables, commitCount }: PendingEntry, result: StatementResult): StatementResult {
    freezeRows(result);
    if (version === this.#version) this.#results.set(key, { result, tables, commitCount });
    return result;
  }
}

/** Freezes rows that several callers share, and returns the result. */
function freezeRows(result: StatementResult): StatementResult {
  for (const row of result.rows) Object.freeze(row);
  Object.freeze(result.rows);
  return result;
}
