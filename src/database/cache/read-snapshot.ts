import type { StatementResult } from '../engines/engine.ts';
import type { SqliteConnection } from '../engines/sqlite/connection.ts';

/** A connection whose reads within one event loop turn see one state of the database. */
export interface ReadSnapshot extends SqliteConnection {
  /** Ends the snapshot, so that further reads see the latest state. Call it before a commit and before checking for commits. */
  release(): void;
  /** Returns the version of the state, which changes with each commit of another connection. */
  state(): unknown;
}

/**
 * Runs the statements of an event loop turn in one read transaction: single statements would each lock and unlock the file,
 * which costs more than most reads.
 */
export function createReadSnapshot(connection: SqliteConnection): ReadSnapshot {
  const { database } = connection;
  const [begin, commit] = [database.prepare('begin'), database.prepare('commit')];
  const ask = database.prepare('pragma data_version');
  ask.setReturnArrays(true);
  let held = false;
  const letGo = () => {
    // A disk failure may have ended the transaction.
    if (held && database.isTransaction) commit.run();
    held = false;
  };
  const hold = () => {
    if (held) return;
    begin.run();
    held = true;
    setImmediate(letGo);
  };
  return {
    ...connection,
    release: letGo,
    state() {
      hold();
      return (ask.get() as unknown as [number])[0];
    },
    execute(statement): StatementResult {
      hold();
      return connection.execute(statement);
    },
  };
}
