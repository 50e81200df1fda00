import type { Database } from '#database/database.ts';
import type { Statement } from '#database/engines/engine.ts';
import { getSession } from '#database/sessions.ts';
import type { World } from './world.ts';

/** Tells of every statement that is asked for outside of transactions, remembered or not. Returns what ends it. */
export function watchReads({ reader }: Database, watch: (statement: Statement) => void): () => void {
  const { engine, connection } = getSession(reader);
  const { execute } = connection;
  const { openRequestConnection: readingNow } = engine;
  connection.execute = (statement) => {
    watch(statement);
    return execute.call(connection, statement);
  };
  if (readingNow !== undefined) {
    engine.openRequestConnection = () => {
      const now = readingNow();
      const asked = (statement: Statement) => {
        watch(statement);
        return now.execute(statement);
      };
      return { ...now, execute: asked };
    };
  }
  return () => {
    Object.assign(connection, { execute });
    if (readingNow !== undefined) engine.openRequestConnection = readingNow;
  };
}

/** How many statements the world's readers run meanwhile, whether the database is asked for them or they are remembered. */
export async function statements({ servers }: World, work: () => Promise<unknown>): Promise<number> {
  let count = 0;
  const ends = servers.map(({ services }) =>
    watchReads(services.database, () => {
      count += 1;
    }),
  );
  try {
    await work();
  } finally {
    for (const end of ends) end();
  }
  return count;
}
