import type { StatementResult } from '../engines/engine.ts';
import type { SqliteConnection } from '../engines/sqlite/connection.ts';

/** A connection whose reads within one event loop turn see one state of the database. */
export interface ReadSnapshot extends SqliteConnection {
  /** Ends the snapshot, so that further reads see the latest state. Call it before a commit and before checking for commits. */
  release(): void;
  /** Returns the version of the state, which changes with each commit of another connection. */
  getVersion(): unknown;
}

/**
 * Runs the statements of an event loop turn in one read transaction: single statements would each lock and unlock the file,
 * which costs more than most reads.
 */
export function createReadSnapshot(connection: SqliteConnection): ReadSnapshot {
  const { database } = connection;
  const [beginStatement, commitStatement] = [database.prepare('begin'), database.prepare('commit')];
  const dataVersionQuery = database.prepare('pragma data_version');
  dataVersionQuery.setReturnArrays(true);
  let isHeld = false;
  const releaseSnapshot = () => {
    // A disk failure may have ended the transaction.
    if (isHeld && database.isTransaction) commitStatement.run();
    isHeld = false;
  };
  const holdSnapshot = () => {
    if (isHeld) return;
    beginStatement.run();
    isHeld = true;
    setImmediate(releaseSnapshot);
  };
  return {
    ...connection,
    release: releaseSnapshot,
    getVersion() {
      holdSnapshot();
      return (dataVersionQuery.get() as unknown as [number])[0];
    },
    execute(statement): StatementResult {
      holdSnapshot();
      return connection.execute(statement);
    },
  };
}
