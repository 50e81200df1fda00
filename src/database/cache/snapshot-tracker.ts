import {
  type CacheCounts,
  type ClientContext,
  type Connection,
  type ReadMode,
  type RequestConnection,
  StaleRead,
  type Statement,
} from '../engines/engine.ts';
import { type CommitTracker, isLaterSnapshot, parseSnapshot, type TransactionSnapshot } from './commit-tracker.ts';
import { QueryCache } from './query-cache.ts';
import type { TableVersions } from './table-versions.ts';

/**
 * Follows PostgreSQL's snapshots to keep the query cache valid. While the snapshot is the same, no process has committed; for
 * commits of this process, the written tables are known. Each request asks for the snapshot once, in one message with its first
 * statement; requests whose results are all cached share one question.
 */
interface SnapshotTracker {
  /**
   * Opens a connection for one request: cached results are not older than this call or than a commit of this process. In the mode
   * `optimistic`, results of the cache are used before the snapshot is known; `verify` then throws if they are too old.
   */
  openRequestConnection(origin?: ClientContext, mode?: ReadMode): RequestConnection;
  /** Call this after each commit of this process: request connections then query the snapshot again. */
  recordCommit(): void;
  clear(): void;
  /** Counts of cache hits and misses. */
  readonly cacheCounts: CacheCounts;
}

const SNAPSHOT_STATEMENT = {
  sql: 'select pg_current_snapshot()::text as now',
  parameters: [],
  name: 'hearth_snapshot',
};

interface TrackerSources {
  /** The transactions of this process. */
  readonly ownCommits: CommitTracker;
  readonly versions: TableVersions;
  /** Returns a promise to await before the next snapshot query; undefined if the catalog is loaded already. */
  ensureCatalog(): Promise<void> | undefined;
}

/** Creates a snapshot tracker whose connections run their statements on this connection. */
export function createSnapshotTracker(
  { execute }: Connection,
  { ownCommits, versions, ensureCatalog }: TrackerSources,
): SnapshotTracker {
  const cache = new QueryCache(versions);
  let lastText: string | undefined;
  let lastSnapshot: TransactionSnapshot | undefined;
  /** Number of snapshot changes for which another process committed: the version of the cache. */
  let foreignCommitCount = 0;
  /** Invalidates the results of tables that this process has written, or all results if another process has committed. */
  const advanceTo = async (text: string) => {
    const snapshot = parseSnapshot(text);
    // Connections may answer in another order than they were asked.
    if (lastSnapshot !== undefined && !isLaterSnapshot(snapshot, lastSnapshot)) return;
    if (lastSnapshot === undefined || !(await ownCommits.recordNewTransactions(lastSnapshot, snapshot)))
      foreignCommitCount++;
    lastSnapshot = snapshot;
    lastText = text;
    cache.setVersion(foreignCommitCount);
  };
  let advancing: Promise<void> = Promise.resolve();
  /** Number of snapshots that wait for `advancing`. */
  let waitingSnapshots = 0;
  const querySnapshot = async () => {
    const catalogReady = ensureCatalog();
    if (catalogReady) await catalogReady;
    const { rows } = await execute(SNAPSHOT_STATEMENT);
    const { now: text } = rows[0] as { now: string };
    if (text === lastText && waitingSnapshots === 0) return text;
    waitingSnapshots++;
    advancing = advancing.then(() => advanceTo(text)).finally(() => waitingSnapshots--);
    await advancing;
    return text;
  };
  const querySharedSnapshot = coalesce(querySnapshot);
  /** Number of commits of this process. */
  let ownCommitCount = 0;
  return {
    openRequestConnection(origin, mode = 'verified') {
      let isVerified = mode === 'verified';
      let pendingVersion: Promise<string> | undefined;
      let versionCommitCount = ownCommitCount;
      let readRecorder = isVerified ? undefined : cache.trackReads();
      let hasRead = false;
      const getVersion = (query = querySharedSnapshot) => {
        // One snapshot query serves the whole request, until this process commits.
        if (pendingVersion === undefined || versionCommitCount !== ownCommitCount) {
          versionCommitCount = ownCommitCount;
          pendingVersion = query().then((text) => {
            readRecorder ??= cache.trackReads();
            return text;
          });
          // An optimistic request gets the error from `verify`.
          pendingVersion.catch(() => {});
        }
        return pendingVersion;
      };
      const read = (statement: Statement) => {
        readRecorder?.recordRead(statement);
        return cache.read(statement, execute, origin);
      };
      return {
        getVersion: () => getVersion(),
        async verify() {
          if (isVerified || !hasRead) return;
          await getVersion();
          // Another call may have verified the request meanwhile, which then had effects and must not start again.
          if (isVerified) return;
          if (!readRecorder!.isCurrent()) throw new StaleRead();
          isVerified = true;
        },
        getReadSet: () => (readRecorder ?? cache.trackReads()).getReadSet(),
        execute(statement) {
          if (isVerified) return getVersion().then(() => read(statement));
          hasRead = true;
          const result = read(statement);
          // The question is in the message of the statement. A cached result has no message: other requests share the question.
          if (result instanceof Promise) void getVersion(querySnapshot);
          return result;
        },
      };
    },
    recordCommit() {
      ownCommitCount++;
    },
    clear: () => cache.clear(),
    cacheCounts: cache.counts,
  };
}

/** Returns a function that runs one query at a time: callers during a query share the next query, which begins after it. */
function coalesce<T>(query: () => Promise<T>): () => Promise<T> {
  let runningQuery: Promise<T> | undefined;
  let nextQuery: Promise<T> | undefined;
  const beginQuery = (): Promise<T> => {
    nextQuery = undefined;
    const newQuery = query();
    runningQuery = newQuery;
    const onSettled = () => {
      if (runningQuery === newQuery) runningQuery = undefined;
    };
    newQuery.then(onSettled, onSettled);
    return newQuery;
  };
  return () => {
    if (runningQuery === undefined) return beginQuery();
    nextQuery ??= runningQuery.then(beginQuery, beginQuery);
    return nextQuery;
  };
}
