import type { DatabaseSync } from 'node:sqlite';
import { LRUCache } from 'lru-cache';
import type { Connection, Row, Statement, StatementResult } from './engine.ts';

/** What is kept at most of all statements together, in characters of text (another value counts as eight). */
const KEPT = 16 * 2 ** 20;

interface Remembering {
  /** What the reads of this turn see: another value after every commit, whoever made it. */
  version(): unknown;
  /** To be called when this process has committed: the next read looks at the version again, whatever the tick. */
  committed(): void;
}

/**
 * Keeps what statements have read for as long as nobody has committed anything to the file: SQLite tells each
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
    maxSize: KEPT,
    maxEntrySize: KEPT / 16,
    sizeCalculation: ({ rows }, key) => key.length + rows.reduce((sum, row) => sum + charactersOf(row), 0),
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
    look();
    const key = `${statement.name ?? statement.sql} ${JSON.stringify(statement.parameters)}`;
    const known = results.get(key);
    if (known !== undefined) return known;
    const result = await connection.execute(statement);
    for (const row of result.rows) Object.freeze(row);
    Object.freeze(result.rows);
    results.set(key, result);
    return result;
  };
  const versionNow = () => {
    look();
    return seen;
  };
  return { ...connection, execute, version: versionNow, committed: lookAgain };
}

function charactersOf(row: Row): number {
  let sum = 0;
  for (const name in row) {
    const value = row[name];
    sum += typeof value === 'string' ? value.length : 8;
  }
  return sum;
}
