import { type Expression, type SqlBool, sql } from 'kysely';
import type { Transaction } from './database.ts';
import { isInIds } from './dialect.ts';

/** A foreign key column that may have very many rows per value. An index must begin with it. */
export interface ReferenceColumn {
  readonly table: string;
  readonly column: string;
}

/** Changes a batch of references from `from` to `to`, or to null. Returns the number of changed rows. */
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

/** Deletes a batch of the rows that refer to `referencedId`. Returns the number of deleted rows. */
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
 * Deletes a batch of the rows that refer to one of `referencedIds`, in a table without an `id`: its primary key is `column` and the
 * columns `key`. Returns the number of deleted rows.
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

/** Maximum bytes of long texts per batch: SQLite reads each page of a text to free it. */
const MAX_BYTES_PER_BATCH = 8 * 2 ** 20;

/**
 * Deletes a batch of rows that contain a long text in the column `text`: at least one row, fewer rows the longer their texts are.
 * Returns the number of deleted rows, or `limit` if more rows may remain.
 */
export async function deleteLargeRowBatch(
  tx: Transaction,
  { table, text }: { readonly table: string; readonly text: string },
  where: Expression<SqlBool>,
  limit: number,
): Promise<number> {
  const tableRef = sql.table(table);
  const sizes = await sql<{ id: number; bytes: number }>`select id, octet_length(${sql.ref(text)}) as bytes
    from ${tableRef} where ${where} limit ${limit}`.execute(tx);
  const ids: number[] = [];
  let bytes = 0;
  for (const row of sizes.rows) {
    bytes += row.bytes;
    if (ids.length > 0 && bytes > MAX_BYTES_PER_BATCH) break;
    ids.push(row.id);
  }
  await sql`delete from ${tableRef} where ${isInIds(tx, sql.ref('id'), ids)}`.execute(tx);
  return ids.length < sizes.rows.length ? limit : ids.length;
}
