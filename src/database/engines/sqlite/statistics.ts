import type { DatabaseSync } from 'node:sqlite';
import { isBusy } from './connection.ts';

/** What SQLite's planner knows of the tables: how many rows they have, and how many of them an index finds. */

/** Rows of each index that are looked at: enough to keep the planner from plans that only small tables bear. */
const LIMIT = 'pragma analysis_limit = 400';

/** For all tables (0x10000) whose statistics are missing, or which have grown or shrunk tenfold since (2). */
const WANTED = 0x10002;

/** Gathers at once what is wanted, for a process that has not begun; while another one writes that one's are good enough. */
export function gatherAll(database: DatabaseSync): void {
  try {
    database.exec(`${LIMIT}; pragma optimize = ${WANTED}`);
  } catch (error) {
    if (!isBusy(error)) throw error;
  }
}

/** Runs, in one go, what writes on a connection, when it is its turn; again where another process writes just then. */
export type InTurn = (database: DatabaseSync, work: () => void) => Promise<void>;

/**
 * The same for a database in use: a table at a time, so that none of these steps holds anybody up. The other connections
 * read the statistics again if there are new ones; whether there are is the answer.
 */
export async function gatherStatistics(
  writer: DatabaseSync,
  reader: DatabaseSync,
  inTurn: InTurn,
): Promise<{ readonly gathered: boolean }> {
  writer.exec(LIMIT);
  // 1: what would be done is told, and not done.
  const told = writer.prepare(`pragma optimize(${WANTED | 1})`).all();
  const steps = told.map(({ optimize }) => String(optimize)).filter((step) => step.startsWith('ANALYZE'));
  for (const step of steps) await inTurn(writer, () => write(writer, step));
  if (steps.length > 0) await readAgain(reader, inTurn);
  return { gathered: steps.length > 0 };
}

/** Statistics are read with the schema; this alone makes a connection read them again, and counts as writing. */
async function readAgain(reader: DatabaseSync, inTurn: InTurn): Promise<void> {
  await inTurn(reader, () => {
    // What waits for this turn may be long, and others read here meanwhile.
    reader.exec('pragma query_only = off');
    try {
      write(reader, 'analyze sqlite_schema');
    } finally {
      reader.exec('pragma query_only = on');
    }
  });
}

/** In a transaction that writes from its beginning: one that reads first could find that another has written since. */
function write(database: DatabaseSync, statement: string): void {
  database.exec('begin immediate');
  try {
    database.exec(statement);
    database.exec('commit');
  } finally {
    if (database.isTransaction) database.exec('rollback');
  }
}
