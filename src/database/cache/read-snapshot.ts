import type { StatementResult } from '../engines/engine.ts';
import type { SqliteConnection } from '../engines/sqlite/connection.ts';

/** A connection that reads one state of the database in a turn of the event loop. */
export interface OneState extends SqliteConnection {
  /** What is read from now on is as new as can be. To be called before a commit, and where one of others is looked for. */
  letGo(): void;
  /** Which state that is: another number after each commit of another connection. */
  state(): unknown;
}

/**
 * The statements of one turn in one transaction that only reads: each by itself takes the locks of the file and gives them
 * back, which costs more than most of what requests read.
 */
export function readOneState(connection: SqliteConnection): OneState {
  const { database } = connection;
  const [begin, commit] = [database.prepare('begin'), database.prepare('commit')];
  const ask = database.prepare('pragma data_version');
  ask.setReturnArrays(true);
  let held = false;
  const letGo = () => {
    // A failure of the disk may have ended it.
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
    letGo,
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
