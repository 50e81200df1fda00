import type { DatabaseSync } from 'node:sqlite';
import { LRUCache } from 'lru-cache';
import type { Connection, Statement, StatementResult } from './engine.ts';

/** Rows that are kept at most, of all statements together. */
const rowsKept = 20_000;

export interface Remembering {
  /** To be called when this process has committed: the next read looks at the version again, whatever the tick. */
  committed(): void;
}

/**
 * Keeps what prepared statements have read for as long as nobody has committed anything to the file: SQLite tells each
 * connection a new `data_version` when another one has, in this process or not, and it is asked for each time. So an
 * answer is never older than the statement would have given it; on a database that is read more than written most
 * questions cost nothing. The rows are frozen, because many will hold them.
 *
 * The version is asked for once in each turn of the event loop: what another process commits during our turn comes to
 * us, by its answer and our client's next request, in a later one.
 */
export function rememberReads<Connected extends Connection & { readonly database: DatabaseSync }>(
  connection: Connected,
): Connected & Remembering {
  const version = connection.database.prepare('pragma data_version');
  version.setReturnArrays(true);
  const results = new LRUCache<string, StatementResult>({
    maxSize: rowsKept,
    sizeCalculation: ({ rows }) => rows.length + 1,
  });
  let seen: unknown;
  let looked = false;
  const lookAgain = () => {
    looked = false;
  };
  const look = () => {
    if (looked) return;
    const [now] = version.get() as unknown as [number];
    if (now !== seen) results.clear();
    seen = now;
    looked = true;
    setImmediate(lookAgain);
  };
  const execute = async (statement: Statement): Promise<StatementResult> => {
    if (statement.name === undefined) return connection.execute(statement);
    look();
    const key = `${statement.name} ${JSON.stringify(statement.parameters)}`;
    const known = results.get(key);
    if (known !== undefined) return known;
    const result = await connection.execute(statement);
    for (const row of result.rows) Object.freeze(row);
    Object.freeze(result.rows);
    results.set(key, result);
    return result;
  };
  return { ...connection, execute, committed: lookAgain };
}
