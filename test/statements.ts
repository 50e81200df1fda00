import { sessionOf } from '../src/database/sessions.ts';
import type { World } from './world.ts';

/** How many statements the server's reader runs meanwhile, whether the database is asked for them or they are remembered. */
export async function statements({ server }: World, work: () => Promise<unknown>): Promise<number> {
  const { connection } = sessionOf(server.rooms.database.reader);
  const { execute } = connection;
  let count = 0;
  connection.execute = (query) => {
    count += 1;
    return execute.call(connection, query);
  };
  try {
    await work();
  } finally {
    connection.execute = execute;
  }
  return count;
}
