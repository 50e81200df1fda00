import type { DatabaseSync } from 'node:sqlite';
import { isBusy } from './connection.ts';

/** Limits the number of rows per index that are analyzed: enough to avoid plans that only suit small tables. */
const SET_ANALYSIS_LIMIT = 'pragma analysis_limit = 400';

/** Flags of `pragma optimize`: check all tables (0x10000), analyze those without statistics or of ten times another size (2). */
const OPTIMIZE_MASK = 0x10002;

/** Analyzes all tables at once at the start of a process. Skipped while another process writes. */
export function analyzeAllTables(database: DatabaseSync): void {
  try {
    database.exec(`${SET_ANALYSIS_LIMIT}; pragma optimize = ${OPTIMIZE_MASK}`);
  } catch (error) {
    if (!isBusy(error)) throw error;
  }
}

/** Runs synchronous work that writes on `database`, while no transaction is open. Retries while another process writes. */
export type RunExclusive = (database: DatabaseSync, work: () => void) => Promise<void>;

/**
 * Analyzes a database in use, one table at a time, so that no step blocks for long. Then the reading connection reloads the
 * statistics. Returns whether a table was analyzed.
 */
export async function analyzeTables(
  writer: DatabaseSync,
  reader: DatabaseSync,
  runExclusive: RunExclusive,
): Promise<{ readonly hasAnalyzed: boolean }> {
  writer.exec(SET_ANALYSIS_LIMIT);
  // The flag 1 only lists the steps.
  const optimizeRows = writer.prepare(`pragma optimize(${OPTIMIZE_MASK | 1})`).all();
  const steps = optimizeRows.map(({ optimize }) => String(optimize)).filter((step) => step.startsWith('ANALYZE'));
  for (const step of steps) await runExclusive(writer, () => runWriteStatement(writer, step));
  if (steps.length > 0) await reloadStatistics(reader, runExclusive);
  return { hasAnalyzed: steps.length > 0 };
}

/** Makes a connection reload the statistics. Only `analyze sqlite_schema` does that, and SQLite treats it as a write. */
async function reloadStatistics(reader: DatabaseSync, runExclusive: RunExclusive): Promise<void> {
  await runExclusive(reader, () => {
    // Allow writes only now, because other requests read on this connection while this work waits.
    reader.exec('pragma query_only = off');
    try {
      runWriteStatement(reader, 'analyze sqlite_schema');
    } finally {
      reader.exec('pragma query_only = on');
    }
  });
}

/** Runs a statement in an immediate transaction: a deferred one could conflict with another writer after its first read. */
function runWriteStatement(database: DatabaseSync, statement: string): void {
  database.exec('begin immediate');
  try {
    database.exec(statement);
    database.exec('commit');
  } finally {
    if (database.isTransaction) database.exec('rollback');
  }
}
