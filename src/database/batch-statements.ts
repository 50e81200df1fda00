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
  const rows = sql.table(table);
  const reference = sql.ref(column);
  const updateResult = await sql`update ${rows} set ${reference} = ${to} where id in
    (select id from ${rows} where ${reference} = ${from} limit ${limit})`.execute(tx);
  return Number(updateResult.numAffectedRows ?? 0);
}

/** Deletes a batch of the rows that refer to `from`. Returns the number of deleted rows. */
export async function deleteBatch(
  tx: Transaction,
  { table, column }: ReferenceColumn,
  from: number,
  limit: number,
): Promise<number> {
  const rows = sql.table(table);
  const deleteResult = await sql`delete from ${rows} where id in
    (select id from ${rows} where ${sql.ref(column)} = ${from} limit ${limit})`.execute(tx);
  return Number(deleteResult.numAffectedRows ?? 0);
}

/** Deletes a batch, as `deleteBatch`, from a table without an id, whose primary key is `column` and `key`. */
export async function deleteKeyedBatch(
  tx: Transaction,
  { table, column, key }: ReferenceColumn & { readonly key: readonly string[] },
  from: readonly number[],
  limit: number,
): Promise<number> {
  const rows = sql.table(table);
  const keyColumns = sql.join([column, ...key].map((name) => sql.ref(name)));
  const deleteResult = await sql`delete from ${rows} where (${keyColumns}) in
    (select ${keyColumns} from ${rows} where ${isInIds(tx, sql.ref(column), from)} limit ${limit})`.execute(tx);
  return Number(deleteResult.numAffectedRows ?? 0);
}

/** Maximum bytes of long texts per batch: SQLite reads each of their pages to free it. */
const MAX_BYTES_PER_BATCH = 8 * 2 ** 20;

/**
 * Deletes a batch of rows that contain a long text: at least one row, fewer rows the longer their texts are. Returns the number
 * of deleted rows, or the batch size if more may remain.
 */
export async function deleteLargeRowBatch(
  tx: Transaction,
  { table, text }: { readonly table: string; readonly text: string },
  where: Expression<SqlBool>,
  limit: number,
): Promise<number> {
  const rows = sql.table(table);
  const sizes = await sql<{ id: number; bytes: number }>`select id, octet_length(${sql.ref(text)}) as bytes
    from ${rows} where ${where} limit ${limit}`.execute(tx);
  const ids: number[] = [];
  let bytes = 0;
  for (const row of sizes.rows) {
    bytes += row.bytes;
    if (ids.length > 0 && bytes > MAX_BYTES_PER_BATCH) break;
    ids.push(row.id);
  }
  await sql`delete from ${rows} where ${isInIds(tx, sql.ref('id'), ids)}`.execute(tx);
  return ids.length < sizes.rows.length ? limit : ids.length;
}
