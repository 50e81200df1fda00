import { LRUCache } from 'lru-cache';
import { AdmissionFilter } from '#runtime/admission-filter.ts';
import { ClientDisconnected } from '#runtime/concurrency-limiter.ts';
import { estimateHeapSize } from '#runtime/heap-size.ts';
import type {
  Connection,
  MaybePromise,
  ReadSet,
  Statement,
  StatementOrigin,
  StatementResult,
} from '../engines/engine.ts';
import { longStatementKind } from '../engines/long-statements.ts';
import type { TableVersions } from './table-versions.ts';

/** Maximum heap size of the cache in bytes. */
const MAX_BYTES = 8 * 2 ** 20;
/** Overhead of an entry in bytes: its slot in the cache and the object around the rows. */
const ENTRY_BYTES = 250;

const NO_TABLES: readonly string[] = [];

interface CacheEntry {
  readonly result: StatementResult;
  /** The tables that were read, and the number of commits before the read. */
  readonly tables: readonly string[];
  readonly commits: number;
}

interface CacheKey extends Omit<CacheEntry, 'result'> {
  readonly key: string;
  readonly version: unknown;
}

/** A statement that is running. */
interface PendingQuery {
  readonly result: Promise<StatementResult>;
  readonly commits: number;
  /** Whether several callers wait for it. */
  shared: boolean;
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
  /** Running statements of this version: callers of the same statement share the result. */
  readonly #running = new Map<string, PendingQuery>();
  readonly #versions: TableVersions;
  #version: unknown;

  constructor(versions: TableVersions) {
    this.#versions = versions;
  }

  clear(): void {
    this.#results.clear();
  }

  /** Clears the cache if the version has changed. */
  setVersion(version: unknown): void {
    if (version === this.#version) return;
    this.#results.clear();
    this.#running.clear();
    this.#version = version;
  }

  /** Records the statements of a reader, to check later whether their results are still current. */
  trackReads(): { note(statement: Statement): void; reads(): ReadSet } {
    const [version, { commits }] = [this.#version, this.#versions];
    const statements: string[] = [];
    return {
      note: ({ sql }) => void statements.push(sql),
      reads: () => {
        const tables = [...new Set(statements.flatMap((sql) => this.#versions.tablesReadBy(sql)))];
        return { isCurrent: () => version === this.#version && this.#versions.areUnchangedSince(tables, commits) };
      },
    };
  }

  /**
   * Returns the cached result of the statement, or runs it. The result is cached only if the version has not changed meanwhile:
   * a statement that began before a commit may end after it.
   */
  read(statement: Statement, execute: Connection['execute'], origin?: StatementOrigin): MaybePromise<StatementResult> {
    const key = `${statement.name ?? statement.sql} ${JSON.stringify(statement.parameters)}`;
    const cachedEntry = this.#results.get(key);
    if (cachedEntry !== undefined && this.#isUnchanged(cachedEntry)) return cachedEntry.result;
    const { commits } = this.#versions;
    // Long statements are shared within one network only: each network has its own queue.
    const runningKey = longStatementKind(statement) === null ? key : `${origin?.network} ${key}`;
    const runningQuery = this.#running.get(runningKey);
    if (
      runningQuery !== undefined &&
      this.#isUnchanged({ tables: this.#versions.tablesReadBy(statement.sql), ...runningQuery })
    ) {
      runningQuery.shared = true;
      return runningQuery.result.catch((error) => {
        if (!(error instanceof ClientDisconnected) || origin?.client?.isDisconnected) throw error;
        return this.read(statement, execute, origin);
      });
    }
    const newEntry = { key, version: this.#version, tables: NO_TABLES, commits };
    const result = this.#trackRunning(runningKey, execute(statement, origin), commits);
    if (!this.#admissionFilter.admit(key)) return result;
    newEntry.tables = this.#versions.tablesReadBy(statement.sql);
    if (!(result instanceof Promise)) return this.#store(newEntry, result);
    return result.then((read) => this.#store(newEntry, read));
  }

  /**
   * Registers a running statement: callers of the same statement wait for it instead of running it again, unless its tables have
   * been written since it began. So no caller gets a result that is older than its call.
   */
  #trackRunning(key: string, result: MaybePromise<StatementResult>, commits: number): MaybePromise<StatementResult> {
    if (!(result instanceof Promise)) return result;
    const removeRunning = () => {
      if (this.#running.get(key) === runningQuery) this.#running.delete(key);
    };
    const settledResult = result.then(
      (read) => {
        removeRunning();
        return runningQuery.shared ? freezeRows(read) : read;
      },
      (error) => {
        removeRunning();
        throw error;
      },
    );
    const runningQuery: PendingQuery = { result: settledResult, commits, shared: false };
    this.#running.set(key, runningQuery);
    return settledResult;
  }

  #isUnchanged({ tables, commits }: Pick<CacheEntry, 'tables' | 'commits'>): boolean {
    return this.#versions.areUnchangedSince(tables, commits);
  }

  #store({ key, version, tables, commits }: CacheKey, result: StatementResult): StatementResult {
    freezeRows(result);
    if (version === this.#version) this.#results.set(key, { result, tables, commits });
    return result;
  }
}

/** Freezes rows that are shared by many callers. */
function freezeRows(result: StatementResult): StatementResult {
  for (const row of result.rows) Object.freeze(row);
  Object.freeze(result.rows);
  return result;
}
