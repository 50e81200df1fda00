import type { DatabaseSync } from 'node:sqlite';
import type { Connection, RequestConnection, Soon, Statement, StatementResult } from '../engines/engine.ts';
import { ReadMemory } from './query-cache.ts';
import type { OneState } from './read-snapshot.ts';
import type { TableVersions } from './table-versions.ts';

interface Remembering {
  /** For one request. */
  connection(): RequestConnection;
  forget(): void;
}

type Reading = Connection & Pick<OneState, 'letGo' | 'state'>;

/** What this process writes with: it tells of the commits of others, and of the tables that its own have written. */
interface Writing {
  readonly database: DatabaseSync;
  readonly versions: TableVersions;
}

/**
 * Keeps what statements have read for as long as it is what they would read now. SQLite tells each connection a new
 * `data_version` when another one has committed: that of the writer changes when another process has, and then everything is
 * forgotten. Our own commits are known by their tables. So on a database that is read more than written most questions cost
 * nothing, and a commit makes those dear again whose tables it has written.
 *
 * The version is asked for once in each turn of the event loop: what another process commits during our turn comes to
 * us, by its answer and our client's next request, in a later one. It is asked only where anybody has committed, which the
 * state tells that this turn reads anyway: that costs a fifth.
 */
export function rememberReads<Connected extends Reading>(
  connection: Connected,
  { database, versions }: Writing,
): Connected & Remembering {
  const ask = database.prepare('pragma data_version');
  ask.setReturnArrays(true);
  const memory = new ReadMemory(versions);
  let seen: unknown;
  /** Of the last turn; undefined: it may have read what is newer than `seen`. */
  let state: unknown;
  let looked = false;
  const lookAgain = () => {
    looked = false;
  };
  const askVersion = (now: unknown) => {
    const [version] = ask.get() as unknown as [number];
    state = version === seen ? now : undefined;
    // What is read under a new version is to be no older than it.
    if (version !== seen) connection.letGo();
    seen = version;
    memory.moveTo(seen);
  };
  const look = () => {
    if (looked) return;
    connection.letGo();
    const now = connection.state();
    if (now !== state) askVersion(now);
    looked = true;
    setImmediate(lookAgain);
  };
  const execute = (statement: Statement): Soon<StatementResult> => {
    look();
    return memory.read(statement, connection.execute);
  };
  const version = () => {
    look();
    return `${seen} ${versions.commits}`;
  };
  const ofRequest = (): RequestConnection => {
    look();
    const { note, reads } = memory.notes();
    return {
      version,
      reads,
      execute(statement) {
        note(statement);
        return execute(statement);
      },
    };
  };
  return { ...connection, execute, connection: ofRequest, forget: () => memory.forget() };
}
