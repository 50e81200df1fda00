import type pg from 'pg';
import {
  type BackupOperations,
  type CellValues,
  type ColumnKind,
  type Connection,
  type DatabaseSnapshotConnection,
  DatabaseUnavailable,
  type ForeignKey,
  type OpenTransaction,
  type Statement,
  type TableDefinition,
} from '../engine.ts';
import { buildForeignKeys, buildTableDefinitions, query } from '../table-definitions.ts';

/** Backup and restore operations of PostgreSQL. Each snapshot and each lock has its own session. */

/** Column kinds by PostgreSQL type. */
const COLUMN_KINDS: Readonly<Record<string, ColumnKind>> = {
  bigint: 'integer',
  integer: 'integer',
  'double precision': 'real',
  boolean: 'boolean',
  text: 'text',
  bytea: 'bytes',
};

/** PostgreSQL types by column kind. */
const COLUMN_TYPES: Readonly<Record<ColumnKind, string>> = {
  integer: 'bigint',
  real: 'double precision',
  boolean: 'boolean',
  text: 'text',
  bytes: 'bytea',
};

/** Maximum number of rows per batch. */
const MAX_BATCH_SIZE = 200;
/** Approximate maximum size of a batch in bytes. */
const MAX_BATCH_BYTES = 2 ** 22;

/** Timeout for the lock that blocks ref updates. */
const LOCK_TIMEOUT = '10s';

export function createPostgresBackupOperations(
  openSession: () => Promise<pg.Client>,
  beginRestoreTransaction: () => Promise<OpenTransaction>,
): BackupOperations {
  return {
    openSnapshot: async () => openSnapshot(await openSession()),
    async lockRefs() {
      const client = await openSession();
      const endSession = () => client.end();
      try {
        await client.query(`begin read write; set local lock_timeout = '${LOCK_TIMEOUT}'`);
        // Share mode conflicts with writes of other transactions, but not with reads.
        await client.query('lock table ref_intents in share mode');
        return endSession;
      } catch (error) {
        await endSession();
        throw isLockTimeout(error) ? new DatabaseUnavailable(error) : error;
      }
    },
    beginRestore: beginRestoreTransaction,
    listTables,
    suspendConstraints,
    insert,
    setLastId,
    listForeignKeys: listReferences,
    // PostgreSQL has no such check; an administrator can enable page checksums.
    checkIntegrity: async () => [],
  };
}

/** Returns whether the lock timeout has expired (lock_not_available). */
const isLockTimeout = (error: unknown) => error instanceof Error && 'code' in error && error.code === '55P03';

async function openSnapshot(client: pg.Client): Promise<DatabaseSnapshotConnection> {
  await client.query('begin isolation level repeatable read read only');
  // The first statement starts the snapshot.
  await client.query('select 1');
  return {
    async execute({ sql, parameters }: Statement) {
      const { rows } = await client.query(sql, parameters as unknown[]);
      return { rows };
    },
    async *stream(sql) {
      await client.query(`declare copied no scroll cursor for ${sql}`);
      // Begins with one row, then grows the batches according to the size of the last rows.
      for (let cursorBatchSize = 1; ; ) {
        const { rows } = await client.query<unknown[]>({
          text: `fetch ${cursorBatchSize} from copied`,
          rowMode: 'array',
        });
        if (rows.length === 0) break;
        yield rows;
        cursorBatchSize = Math.max(
          1,
          Math.min(
            MAX_BATCH_SIZE,
            4 * cursorBatchSize,
            Math.floor(MAX_BATCH_BYTES / (estimateSize(rows) / rows.length)),
          ),
        );
      }
      await client.query('close copied');
    },
    close: () => client.end(),
  };
}

/** Returns the approximate size of rows in bytes; at least 1. */
function estimateSize(rows: readonly CellValues[]): number {
  let size = 1;
  for (const row of rows)
    for (const value of row) size += typeof value === 'string' || Buffer.isBuffer(value) ? value.length : 8;
  return size;
}

async function listTables(connection: Connection): Promise<TableDefinition[]> {
  const columns = await query(
    connection,
    `select c.relname as "table", a.attname as "column", format_type(a.atttypid, null) as type,
       array_position(i.indkey::int2[], a.attnum) as key_position
     from pg_class c
     join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
     left join pg_index i on i.indrelid = c.oid and i.indisprimary
     where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace order by c.relname, a.attnum`,
  );
  const sequences = await query(
    connection,
    `select c.relname as "table", pg_sequence_last_value(s.oid) as last
     from pg_class s join pg_depend d on d.objid = s.oid and d.deptype = 'i' and d.refclassid = 'pg_class'::regclass
     join pg_class c on c.oid = d.refobjid
     where s.relkind = 'S' and c.relnamespace = current_schema()::regnamespace`,
  );
  const lastIds = new Map(sequences.map((row) => [String(row.table), row.last === null ? null : Number(row.last)]));
  return buildTableDefinitions({ columns, kinds: COLUMN_KINDS, lastIds });
}

/**
 * Disables triggers and drops the foreign keys. The returned function restores both: adding the foreign keys checks all
 * rows in one scan, while deferred checks would need memory for each row.
 */
async function suspendConstraints(connection: Connection): Promise<() => Promise<void>> {
  const foreignKeys = await query(
    connection,
    `select conrelid::regclass::text as "table", conname as name, pg_get_constraintdef(oid) as text from pg_constraint
     where contype = 'f' and connamespace = current_schema()::regnamespace order by conname`,
  );
  const triggerTables = await query(
    connection,
    `select distinct tgrelid::regclass::text as "table" from pg_trigger t join pg_class c on c.oid = t.tgrelid
     where not tgisinternal and c.relnamespace = current_schema()::regnamespace`,
  );
  for (const { table, name } of foreignKeys) await query(connection, `alter table ${table} drop constraint "${name}"`);
  for (const { table } of triggerTables) await query(connection, `alter table ${table} disable trigger user`);
  return async () => {
    for (const { table } of triggerTables) await query(connection, `alter table ${table} enable trigger user`);
    for (const { table, name, text } of foreignKeys)
      await query(connection, `alter table ${table} add constraint "${name}" ${text}`);
  };
}

/** Inserts any number of rows with one statement: each column is one array parameter. */
async function insert(
  connection: Connection,
  { name, columns }: TableDefinition,
  rows: readonly CellValues[],
): Promise<void> {
  const names = columns.map((column) => `"${column.name}"`).join(', ');
  const arrayParameters = columns.map(({ kind }, index) => `$${index + 1}::${COLUMN_TYPES[kind]}[]`).join(', ');
  const sql = `insert into "${name}" (${names}) overriding system value select * from unnest(${arrayParameters})`;
  const parameters = columns.map((_, index) => rows.map((row) => row[index]));
  await connection.execute({ sql, parameters });
}

/** SQLite records 0 for a table whose statements have inserted no row yet; no sequence of PostgreSQL has this value. */
async function setLastId(connection: Connection, table: string, lastId: number): Promise<void> {
  await query(
    connection,
    `select setval(pg_get_serial_sequence($1::text, attname), greatest($2::bigint, 1), $2::bigint > 0) from pg_attribute
     where attrelid = $1::text::regclass and attidentity <> ''`,
    [`"${table}"`, lastId],
  );
}

async function listReferences(connection: Connection): Promise<ForeignKey[]> {
  const rows = await query(
    connection,
    `select f.conname as key, c.relname as "table", a.attname as "column", p.relname as parent,
       b.attname as parent_column,
       case f.confdeltype when 'c' then 'cascade' when 'n' then 'set null' end as on_delete
     from pg_constraint f
     join pg_class c on c.oid = f.conrelid
     join pg_class p on p.oid = f.confrelid
     cross join lateral unnest(f.conkey, f.confkey) with ordinality as k(column_number, parent_column_number, key_position)
     join pg_attribute a on a.attrelid = f.conrelid and a.attnum = k.column_number
     join pg_attribute b on b.attrelid = f.confrelid and b.attnum = k.parent_column_number
     where f.contype = 'f' and f.connamespace = current_schema()::regnamespace order by f.conname, k.key_position`,
  );
  return buildForeignKeys(rows);
}
