import type { DatabaseSync } from 'node:sqlite';
import { isBusy } from './sqlite-connection.ts';

/** What SQLite's planner knows of the tables: how many rows they have, and how many of them an index finds. */

/** Rows of each index that are looked at: enough to keep the planner from plans that only small tables bear. */
const LIMIT = 'pragma analysis_limit = 400';

/** For all tables (0x10000) whose statistics are missing, or which have grown or shrunk tenfold since (2). */
const WANTED = 0x10002;

/** Gathers at once what is wanted, for a process that has not begun; while another one writes that one's are good enough. */
export function gatherAll(database: DatabaseSync): void {
  try {
    database.exec(`${LIMIT}; pragma optimize = ${WANTED}`);
    if (keepIndexesOfOneOwner(database)) database.exec(READ_AGAIN);
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
  for (const step of steps) await inTurn(writer, () => write(writer, () => gatherOf(writer, step)));
  if (steps.length > 0) await readAgain(reader, inTurn);
  return { gathered: steps.length > 0 };
}

function gatherOf(writer: DatabaseSync, step: string): void {
  writer.exec(step);
  if (keepIndexesOfOneOwner(writer)) writer.exec(READ_AGAIN);
}

/** Indexes that begin with the id of what each row belongs to. */
const OF_OWNERS = `select idx, stat from sqlite_stat1 where exists (
  select 1 from pragma_index_info(sqlite_stat1.idx) as first
  join pragma_table_info(sqlite_stat1.tbl) as "column" on "column".name = first.name
  where first.seqno = 0 and "column"."notnull" and first.name glob '*_id')`;

/**
 * Where all rows are of one project, and all have been counted (they are few, or somebody else has said `analyze`), SQLite
 * expects as many of any other, and looks through them all for what that one does not have. They are said to be of two.
 * Whether something is written is the answer.
 */
function keepIndexesOfOneOwner(database: DatabaseSync): boolean {
  // Before anything has been gathered there is no such table.
  if (database.prepare(`select 1 from sqlite_schema where name = 'sqlite_stat1'`).get() === undefined) return false;
  const set = database.prepare('update sqlite_stat1 set stat = ? where idx = ?');
  let written = false;
  for (const { idx, stat } of database.prepare(OF_OWNERS).all()) {
    const [rows, perOwner, ...others] = String(stat).split(' ');
    if (rows !== perOwner || Number(rows) < 2) continue;
    const half = String(Math.ceil(Number(rows) / 2));
    set.run([rows, half, ...others.map((count) => (count === rows ? half : count))].join(' '), idx ?? null);
    written = true;
  }
  return written;
}

/** Statistics are read with the schema; this alone makes a connection read them again, and counts as writing. */
const READ_AGAIN = 'analyze sqlite_schema';

async function readAgain(reader: DatabaseSync, inTurn: InTurn): Promise<void> {
  await inTurn(reader, () => {
    // What waits for this turn may be long, and others read here meanwhile.
    reader.exec('pragma query_only = off');
    try {
      write(reader, () => reader.exec(READ_AGAIN));
    } finally {
      reader.exec('pragma query_only = on');
    }
  });
}

/** In a transaction that writes from its beginning: one that reads first could find that another has written since. */
function write(database: DatabaseSync, work: () => void): void {
  database.exec('begin immediate');
  try {
    work();
    database.exec('commit');
  } finally {
    if (database.isTransaction) database.exec('rollback');
  }
}
