import type { CacheCounts, ClientContext, Connection, RequestConnection } from '../engines/engine.ts';
import { type CommitTracker, parseSnapshot } from './commit-tracker.ts';
import { QueryCache } from './query-cache.ts';
import type { TableVersions } from './table-versions.ts';

/**
 * Follows PostgreSQL's snapshots to keep the query cache valid. While the text of the snapshot is the same, no process has
 * committed; for commits of this process, the written tables are known. One snapshot query serves all requests that arrived
 * before it was sent, so that cached reads cost a request at most one round trip.
 */
export interface SnapshotTracker {
  /** Opens a connection for one request: cached results are not older than this call or than a commit of this process. */
  openRequestConnection(origin?: ClientContext): RequestConnection;
  /** Call this after each commit of this process: request connections then query the snapshot again. */
  recordCommit(): void;
  clear(): void;
  /** How often the cache answered. */
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
  let lastSnapshot: string | undefined;
  /** Number of snapshot changes for which another process committed: the version of the cache. */
  let foreignCommitCount = 0;
  /** Invalidates the results of tables that this process has written, or all results if another process has committed. */
  const advanceTo = async (snapshotText: string) => {
    if (snapshotText === lastSnapshot) return;
    if (
      lastSnapshot === undefined ||
      !(await ownCommits.recordNewTransactions(parseSnapshot(lastSnapshot), parseSnapshot(snapshotText)))
    )
      foreignCommitCount++;
    lastSnapshot = snapshotText;
    cache.setVersion(foreignCommitCount);
  };
  const querySnapshot = coalesce(async () => {
    const catalogReady = ensureCatalog();
    if (catalogReady) await catalogReady;
    const { rows } = await execute(SNAPSHOT_STATEMENT);
    const { now: snapshotText } = rows[0] as { now: string };
    // Snapshot queries run one after another, so that the last result is the latest state.
    await advanceTo(snapshotText);
    return snapshotText;
  });
  /** Number of commits of this process. */
  let ownCommitCount = 0;
  return {
    openRequestConnection(origin) {
      let pendingVersion: Promise<string> | undefined;
      let versionCommitCount = ownCommitCount;
      let readRecorder: ReturnType<QueryCache['trackReads']> | undefined;
      const getVersion = () => {
        // One snapshot query serves the whole request, until this process commits.
        if (pendingVersion === undefined || versionCommitCount !== ownCommitCount) {
          versionCommitCount = ownCommitCount;
          pendingVersion = querySnapshot().then((snapshotText) => {
            readRecorder ??= cache.trackReads();
            return snapshotText;
          });
        }
        return pendingVersion;
      };
      return {
        getVersion,
        getReadSet: () => (readRecorder ?? cache.trackReads()).getReadSet(),
        async execute(statement) {
          await getVersion();
          readRecorder?.recordRead(statement);
          return cache.read(statement, execute, origin);
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
