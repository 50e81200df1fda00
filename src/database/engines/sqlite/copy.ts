import { setTimeout as pause } from 'node:timers/promises';
import { SQLITE_FOREIGN_KEY } from '#database/constraint-violations.ts';
import {
  type BackupOperations,
  type CellValues,
  type ColumnKind,
  type Connection,
  type DatabaseSnapshotConnection,
  DatabaseUnavailable,
  type ForeignKey,
  type OpenTransaction,
  type TableDefinition,
} from '../engine.ts';
import { buildForeignKeys, buildTableDefinitions, query } from '../table-definitions.ts';
import { isBusy, openConnection } from './connection.ts';

/** Backup and restore operations of SQLite. Each snapshot and each lock has its own connection. */

/** Column kinds by declared type. */
const COLUMN_KINDS: Readonly<Record<string, ColumnKind>> = {
  integer: 'integer',
  real: 'real',
  boolean: 'boolean',
  text: 'text',
  blob: 'bytes',
};

/** Milliseconds for which the write lock is retried. */
const LOCK_TIMEOUT_MS = 10_000;
/** Milliseconds between two attempts to get the write lock. */
const LOCK_RETRY_DELAY_MS = 20;

/** Rows per batch of a stream. */
const BATCH_SIZE = 200;

export function createSqliteBackupOperations(
  file: string,
  beginRestoreTransaction: () => Promise<OpenTransaction>,
): BackupOperations {
  return {
    openSnapshot: async () => openSnapshot(file),
    lockRefs: () => lockWrites(file),
    beginRestore: beginRestoreTransaction,
    listTables,
    suspendConstraints,
    insert,
    setLastId,
    listForeignKeys: listReferences,
    checkIntegrity,
  };
}

function openSnapshot(file: string): DatabaseSnapshotConnection {
  const { database, execute } = openConnection(file);
  database.exec('pragma query_only = on; begin');
  // The first read starts the snapshot.
  database.prepare('select count(*) from sqlite_schema').get();
  return {
    execute,
    async *stream(sql, kinds) {
      const statement = database.prepare(sql);
      statement.setReturnArrays(true);
      let rows: CellValues[] = [];
      for (const row of statement.iterate() as Iterable<unknown> as Iterable<unknown[]>) {
        rows.push(toCellValues(row, kinds));
        if (rows.length < BATCH_SIZE) continue;
        yield rows;
        rows = [];
      }
      yield rows;
    },
    close: async () => database.close(),
  };
}

/** Converts booleans and bytes of a row in place, to the common form of both engines. */
function toCellValues(row: unknown[], kinds: readonly ColumnKind[]): CellValues {
  for (let index = 0; index < row.length; index++) {
    const value = row[index];
    if (value === null) continue;
    if (kinds[index] === 'boolean') row[index] = value !== 0;
    else if (kinds[index] === 'bytes') row[index] = Buffer.from(value as Uint8Array);
  }
  return row;
}

/** Takes the write lock with a connection of its own. Returns the function that releases it. */
async function lockWrites(file: string): Promise<() => Promise<void>> {
  const { database } = openConnection(file);
  for (const startedAt = performance.now(); ; ) {
    try {
      database.exec('begin immediate');
      return async () => database.close();
    } catch (error) {
      if (isBusy(error) && performance.now() - startedAt < LOCK_TIMEOUT_MS) await pause(LOCK_RETRY_DELAY_MS);
      else {
        database.close();
        throw isBusy(error) ? new DatabaseUnavailable(error) : error;
      }
    }
  }
}

async function listTables(connection: Connection): Promise<TableDefinition[]> {
  // Tables of a search index are virtual or shadow tables, which triggers fill.
  const columns = await query(
    connection,
    `select t.name as "table", c.name as "column", lower(c.type) as type, nullif(c.pk, 0) as key_position
     from pragma_table_list t, pragma_table_info(t.name) c
     where t.schema = 'main' and t.type = 'table' and t.name not like 'sqlite\\_%' escape '\\' order by t.name, c.cid`,
  );
  // An empty database has no table sqlite_sequence.
  const sequences = columns.length === 0 ? [] : await query(connection, 'select name, seq from sqlite_sequence');
  const lastIds = new Map(sequences.map(({ name, seq }) => [String(name), Number(seq)]));
  return buildTableDefinitions({ columns, kinds: COLUMN_KINDS, lastIds });
}

/**
 * Drops the triggers that copy data to other rows; those of search indexes stay, because only they fill the indexes. The returned
 * function creates the triggers again and checks the foreign keys, which the restore transaction has disabled.
 */
async function suspendConstraints(connection: Connection): Promise<() => Promise<void>> {
  const triggers = await query(
    connection,
    "select name, sql from sqlite_schema where type = 'trigger' and name not like '%\\_trigrams\\_%' escape '\\'",
  );
  for (const { name } of triggers) await query(connection, `drop trigger "${name}"`);
  return async () => {
    for (const { sql } of triggers) await query(connection, String(sql));
    const danglingReferences = await query(connection, 'select "table", parent from pragma_foreign_key_check limit 1');
    for (const { table, parent } of danglingReferences) {
      const error = new Error(`Rows of ${table} refer to missing rows of ${parent}`);
      throw Object.assign(error, { errcode: SQLITE_FOREIGN_KEY });
    }
  };
}

async function insert(
  connection: Connection,
  { name, columns }: TableDefinition,
  rows: readonly CellValues[],
): Promise<void> {
  const names = columns.map((column) => `"${column.name}"`).join(', ');
  const sql = `insert into "${name}" (${names}) values (${columns.map(() => '?').join(', ')})`;
  for (const row of rows) await connection.execute({ sql, parameters: row });
}

async function setLastId(connection: Connection, table: string, lastId: number): Promise<void> {
  await query(connection, 'delete from sqlite_sequence where name = ?', [table]);
  await query(connection, 'insert into sqlite_sequence (name, seq) values (?, ?)', [table, lastId]);
}

async function listReferences(connection: Connection): Promise<ForeignKey[]> {
  const rows = await query(
    connection,
    `select t.name as "table", f.id as key, f."from" as "column", f."table" as parent, f."to" as parent_column,
       lower(f.on_delete) as on_delete
     from pragma_table_list t, pragma_foreign_key_list(t.name) f
     where t.schema = 'main' and t.type = 'table' order by t.name, f.id, f.seq`,
  );
  return buildForeignKeys(rows);
}

/** Runs SQLite's integrity check. A problem that concerns one index is repaired by rebuilding it. */
async function checkIntegrity(connection: Connection) {
  const rows = await query(connection, 'select integrity_check as problem from pragma_integrity_check');
  const problems = rows.map(({ problem }) => String(problem)).filter((problem) => problem !== 'ok');
  return problems.map((problem) => ({
    problem,
    index: /(?:missing from|entries in) index (\w+)/.exec(problem)?.[1] ?? null,
  }));
}
