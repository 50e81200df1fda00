import { type Expression, type SqlBool, sql } from 'kysely';
import type { Transaction } from './database.ts';
import { isInIds } from './dialect.ts';

/** A foreign key column that may have very many rows per value. An index must begin with it. */
export interface ReferenceColumn {
  readonly table: string;
  readonly column: string;
}

/** A foreign key column with the columns that identify a row, by default `id`. */
export interface KeyedReferenceColumn extends ReferenceColumn {
  readonly key?: readonly string[];
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
    (select id from ${tableRef} where ${columnRef} = ${from} limit ${sql.lit(limit)})`.execute(tx);
  return Number(updateResult.numAffectedRows ?? 0);
}

/**
 * Deletes up to `limit` rows that refer to `referencedId`, or to one of several ids. Returns the number of deleted rows.
 */
export async function deleteBatch(
  tx: Transaction,
  { table, column, key = ['id'] }: KeyedReferenceColumn,
  referencedId: number | readonly number[],
  limit: number,
): Promise<number> {
  const [tableRef, columnRef] = [sql.table(table), sql.ref<number>(column)];
  const keyColumns = sql.join(key.map((name) => sql.ref(name)));
  const condition =
    typeof referencedId === 'number'
      ? sql`${columnRef} = ${referencedId}`
      : // SQLite uses a partial index for a list of ids only if the condition of the index is repeated.
        sql`${isInIds(tx, columnRef, referencedId)} and ${columnRef} is not null`;
  const deleteResult = await sql`delete from ${tableRef} where (${keyColumns}) in
    (select ${keyColumns} from ${tableRef} where ${condition} limit ${sql.lit(limit)})`.execute(tx);
  return Number(deleteResult.numAffectedRows ?? 0);
}

/** A table with the tables whose many rows are deleted before its own. `text`: its column with long texts. */
export interface TableWithChildren {
  readonly table: string;
  readonly text?: string;
  readonly children?: readonly KeyedReferenceColumn[];
}

/**
 * Deletes up to `limit` rows in total: those of the children of the rows with these ids, then the rows themselves. Returns the
 * number of deleted rows, or `limit` if rows remain, so that callers continue.
 */
export async function deleteWithChildren(
  tx: Transaction,
  { table, text, children = [] }: TableWithChildren,
  ids: readonly number[],
  limit: number,
): Promise<number> {
  let remainingRows = ids.length === 0 ? 0 : limit;
  for (const child of children) {
    if (remainingRows > 0) remainingRows -= await deleteBatch(tx, child, ids, remainingRows);
  }
  const idCondition = isInIds(tx, sql.ref('id'), ids.slice(0, remainingRows));
  let deletedCount = Math.min(ids.length, remainingRows);
  if (text !== undefined) deletedCount = await deleteLargeRowBatch(tx, { table, text }, idCondition, limit);
  else if (deletedCount > 0) await sql`delete from ${sql.table(table)} where ${idCondition}`.execute(tx);
  return deletedCount < ids.length ? limit : deletedCount;
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
    from ${tableRef} where ${where} limit ${sql.lit(limit)}`.execute(tx);
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
