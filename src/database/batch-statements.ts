import { type Expression, type SqlBool, sql } from 'kysely';
import type { Transaction } from './database.ts';
import { isInIds } from './dialect.ts';

/** A foreign key column that may have very many rows per value. An index must begin with it. */
export interface ReferenceColumn {
  readonly table: string;
  readonly column: string;
}

/** Changes up to `limit` references from the id `from` to the id `to`, or to null. Returns the number of changed rows. */
export async function reassignReferences(
  tx: Transaction,
  { table, column }: ReferenceColumn,
  { from, to, limit }: { readonly from: number; readonly to: number | null; readonly limit: number },
): Promise<number> {
  const tableRef = sql.table(table);
  const columnRef = sql.ref(column);
  const updateResult = await sql`update ${tableRef} set ${columnRef} = ${to} where id in
    (select id from ${tableRef} where ${columnRef} = ${from} limit ${limit})`.execute(tx);
  return Number(updateResult.numAffectedRows ?? 0);
}

/** Deletes up to `limit` rows that refer to `referencedId`. Returns the number of deleted rows. */
export async function deleteBatch(
  tx: Transaction,
  { table, column }: ReferenceColumn,
  referencedId: number,
  limit: number,
): Promise<number> {
  const tableRef = sql.table(table);
  const deleteResult = await sql`delete from ${tableRef} where id in
    (select id from ${tableRef} where ${sql.ref(column)} = ${referencedId} limit ${limit})`.execute(tx);
  return Number(deleteResult.numAffectedRows ?? 0);
}

/**
 * Deletes up to `limit` rows that refer to one of `referencedIds`, in a table without an `id` column: the primary key consists of
 * `column` and the columns `key`. Returns the number of deleted rows.
 */
export async function deleteKeyedBatch(
  tx: Transaction,
  { table, column, key }: ReferenceColumn & { readonly key: readonly string[] },
  referencedIds: readonly number[],
  limit: number,
): Promise<number> {
  const tableRef = sql.table(table);
  const keyColumns = sql.join([column, ...key].map((name) => sql.ref(name)));
  const deleteResult = await sql`delete from ${tableRef} where (${keyColumns}) in
    (select ${keyColumns} from ${tableRef} where ${isInIds(tx, sql.ref(column), referencedIds)} limit ${limit})`.execute(
    tx,
  );
  return Number(deleteResult.numAffectedRows ?? 0);
}

/** Maximum total bytes of the texts that one batch deletes: SQLite reads each page of a text to free it. */
const MAX_BYTES_PER_BATCH = 8 * 2 ** 20;

/**
 * Deletes up to `limit` rows that contain long texts; `text` is the name of the text column. Stops at `MAX_BYTES_PER_BATCH`, but
 * deletes at least one row. Returns the number of deleted rows, or `limit` if rows remain, so that callers continue.
 */
export async function deleteLargeRowBatch(
  tx: Transaction,
  { table, text }: { readonly table: string; readonly text: string },
  where: Expression<SqlBool>,
  limit: number,
): Promise<number> {
  const tableRef = sql.table(table);
  const textSizes = await sql<{ id: number; bytes: number }>`select id, octet_length(${sql.ref(text)}) as bytes
    from ${tableRef} where ${where} limit ${limit}`.execute(tx);
  const ids: number[] = [];
  let totalBytes = 0;
  for (const row of textSizes.rows) {
    totalBytes += row.bytes;
    if (ids.length > 0 && totalBytes > MAX_BYTES_PER_BATCH) break;
    ids.push(row.id);
  }
  await sql`delete from ${tableRef} where ${isInIds(tx, sql.ref('id'), ids)}`.execute(tx);
  return ids.length < textSizes.rows.length ? limit : ids.length;
}
