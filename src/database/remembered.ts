import type { DatabaseSync } from 'node:sqlite';
import type { Connection, Soon, Statement, StatementResult } from './engine.ts';
import { ReadMemory } from './read-memory.ts';

interface Remembering {
  /** What the reads of this turn see: another value after every commit, whoever made it. */
  version(): unknown;
  /** To be called when this process has committed: the next read looks at the version again, whatever the tick. */
  committed(): void;
  forget(): void;
}

/**
 * Keeps what statements have read for as long as nobody has committed anything to the file: SQLite tells each
 * connection a new `data_version` when another one has, in this process or not, and it is asked for each time. So an
 * answer is never older than the statement would have given it; on a database that is read more than written most
 * questions cost nothing.
 *
 * The version is asked for once in each turn of the event loop: what another process commits during our turn comes to
 * us, by its answer and our client's next request, in a later one.
 */
export function rememberReads<Connected extends Connection & { readonly database: DatabaseSync }>(
  connection: Connected,
): Connected & Remembering {
  const ask = connection.database.prepare('pragma data_version');
  ask.setReturnArrays(true);
  const memory = new ReadMemory();
  let seen: unknown;
  let looked = false;
  const lookAgain = () => {
    looked = false;
  };
  const version = () => {
    if (looked) return seen;
    [seen] = ask.get() as unknown as [number];
    memory.moveTo(seen);
    looked = true;
    setImmediate(lookAgain);
    return seen;
  };
  const execute = (statement: Statement): Soon<StatementResult> => {
    version();
    return memory.read(statement, connection.execute);
  };
  return { ...connection, execute, version, committed: lookAgain, forget: () => memory.forget() };
}
