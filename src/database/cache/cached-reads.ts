import type { DatabaseSync } from 'node:sqlite';
import type {
  Connection,
  MaybePromise,
  RequestConnection,
  Statement,
  StatementOrigin,
  StatementResult,
} from '../engines/engine.ts';
import { QueryCache } from './query-cache.ts';
import type { ReadSnapshot } from './read-snapshot.ts';
import type { TableVersions } from './table-versions.ts';

interface CachedReads {
  /** Opens a read connection for one request. */
  openRequestConnection(origin?: StatementOrigin): RequestConnection;
  clearCache(): void;
}

type ReadConnection = Connection & Pick<ReadSnapshot, 'release' | 'getVersion'>;

/** The writing connection of this process, and the tables that its commits have written. */
interface WriterState {
  readonly database: DatabaseSync;
  readonly versions: TableVersions;
}

/**
 * Caches query results for as long as they are current. SQLite changes the `data_version` of a connection when another
 * connection commits. The version of the writer changes when another process commits: then the whole cache is cleared. Commits
 * of this process invalidate only the results that read the written tables.
 *
 * The version is read once per event loop turn: what another process commits during a turn is visible in a later one, before a
 * client can know of it. It is read only if the reader's state shows a commit, which costs a fifth of reading it always.
 */
export function cacheReads<Connected extends ReadConnection>(
  connection: Connected,
  { database, versions }: WriterState,
): Connected & CachedReads {
  const dataVersion = database.prepare('pragma data_version');
  dataVersion.setReturnArrays(true);
  const cache = new QueryCache(versions);
  let lastVersion: unknown;
  /** State of the last turn; undefined if reads may have been newer than `lastVersion`. */
  let state: unknown;
  let isChecked = false;
  const resetCheck = () => {
    isChecked = false;
  };
  const updateVersion = (currentState: unknown) => {
    const [version] = dataVersion.get() as unknown as [number];
    state = version === lastVersion ? currentState : undefined;
    // Results that are cached under a new version must not be older than it.
    if (version !== lastVersion) connection.release();
    lastVersion = version;
    cache.setVersion(lastVersion);
  };
  const checkVersion = () => {
    if (isChecked) return;
    connection.release();
    const currentState = connection.getVersion();
    if (currentState !== state) updateVersion(currentState);
    isChecked = true;
    setImmediate(resetCheck);
  };
  const execute = (statement: Statement, origin?: StatementOrigin): MaybePromise<StatementResult> => {
    checkVersion();
    return cache.read(statement, connection.execute, origin);
  };
  const version = () => {
    checkVersion();
    return `${lastVersion} ${versions.commits}`;
  };
  const openRequestConnection = (origin?: StatementOrigin): RequestConnection => {
    checkVersion();
    const { note, reads } = cache.trackReads();
    return {
      getVersion: version,
      getReadSet: reads,
      execute(statement) {
        note(statement);
        return execute(statement, origin);
      },
    };
  };
  return { ...connection, execute, openRequestConnection, clearCache: () => cache.clear() };
}
