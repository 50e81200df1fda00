import { type Database, StaleRead } from '#database/database.ts';
import type { Statement } from '#database/engines/engine.ts';
import { getSession } from '#database/sessions.ts';
import type { World } from './world.ts';

/**
 * Calls `watch` for every statement outside of transactions, cached or not. On PostgreSQL a request starts again if another process
 * has committed meanwhile, for which the tests of other databases count: `discard` then gets the number of its statements until
 * then. Returns a function that stops it.
 */
export function watchReads(
  { reader }: Database,
  watch: (statement: Statement) => void,
  discard: (count: number) => void = () => {},
): () => void {
  const { engine, connection } = getSession(reader);
  const { execute } = connection;
  const { openRequestConnection: readingNow } = engine;
  connection.execute = (statement, origin) => {
    watch(statement);
    return execute.call(connection, statement, origin);
  };
  if (readingNow !== undefined) {
    engine.openRequestConnection = (origin, mode) => {
      const now = readingNow(origin, mode);
      let count = 0;
      const asked = (statement: Statement) => {
        count++;
        watch(statement);
        return now.execute(statement);
      };
      const verify = async () => {
        try {
          await now.verify();
        } catch (error) {
          if (error instanceof StaleRead) discard(count);
          count = 0;
          throw error;
        }
      };
      return { ...now, execute: asked, verify };
    };
  }
  return () => {
    Object.assign(connection, { execute });
    if (readingNow !== undefined) engine.openRequestConnection = readingNow;
  };
}

/** Returns the number of statements that the world's readers run during `work`, cached or not. */
export async function statements({ servers }: World, work: () => Promise<unknown>): Promise<number> {
  let count = 0;
  const ends = servers.map(({ services }) =>
    watchReads(
      services.database,
      () => {
        count += 1;
      },
      (discarded) => {
        count -= discarded;
      },
    ),
  );
  try {
    await work();
  } finally {
    for (const end of ends) end();
  }
  return count;
}
