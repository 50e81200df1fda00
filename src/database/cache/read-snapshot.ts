import type { DatabaseSync } from 'node:sqlite';
import type { StatementResult } from '../engines/engine.ts';
import type { SqliteConnection } from '../engines/sqlite/connection.ts';

/** A connection whose reads within one event loop turn see one state of the database. */
export interface ReadSnapshot extends SqliteConnection {
  /**
   * Ends the read transaction, so that later reads see the latest state. Call it before a commit, which later reads of this turn
   * must see, and before checking for commits.
   */
  endReadTransaction(): void;
  /** Returns the `data_version` of the snapshot, which changes with each commit of another connection. */
  getVersion(): unknown;
}

/**
 * Runs the statements of an event loop turn in one read transaction: single statements would each lock and unlock the file,
 * which costs more than most reads.
 */
export function createReadSnapshot(connection: SqliteConnection): ReadSnapshot {
  const { database } = connection;
  const [beginStatement, commitStatement] = [database.prepare('begin'), database.prepare('commit')];
  const queryDataVersion = prepareDataVersion(database);
  let isOpen = false;
  const endTransaction = () => {
    // A disk failure may have ended the transaction.
    if (isOpen && database.isTransaction) commitStatement.run();
    isOpen = false;
  };
  const ensureTransaction = () => {
    if (isOpen) return;
    beginStatement.run();
    isOpen = true;
    setImmediate(endTransaction);
  };
  return {
    ...connection,
    endReadTransaction: endTransaction,
    getVersion() {
      ensureTransaction();
      return queryDataVersion();
    },
    execute(statement): StatementResult {
      ensureTransaction();
      return connection.execute(statement);
    },
  };
}

/** Returns a function that queries the `data_version` of a connection, which changes with each commit of another connection. */
export function prepareDataVersion(database: DatabaseSync): () => number {
  const statement = database.prepare('pragma data_version');
  statement.setReturnArrays(true);
  // The type of `get` ignores that the statement returns arrays.
  return () => (statement.get() as unknown as [number])[0];
}
