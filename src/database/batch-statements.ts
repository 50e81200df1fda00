import { type Expression, type SqlBool, sql } from 'kysely';
import type { Transaction } from './database.ts';
import { isAmong } from './dialect.ts';

/** A column that names what may have very many rows; an index that begins with it tells which they are. */
export interface Referring {
  readonly table: string;
  readonly column: string;
}

/** So many rows at most that refer to `from` refer to `to` from now on, or to nothing; how many they were. */
export async function referElsewhere(
  tx: Transaction,
  { table, column }: Referring,
  { from, to, most }: { readonly from: number; readonly to: number | null; readonly most: number },
): Promise<number> {
  const rows = sql.table(table);
  const reference = sql.ref(column);
  const changed = await sql`update ${rows} set ${reference} = ${to} where id in
    (select id from ${rows} where ${reference} = ${from} limit ${most})`.execute(tx);
  return Number(changed.numAffectedRows ?? 0);
}

/** So many rows at most that refer to `from` go; how many they were. */
export async function deleteSome(
  tx: Transaction,
  { table, column }: Referring,
  from: number,
  most: number,
): Promise<number> {
  const rows = sql.table(table);
  const gone = await sql`delete from ${rows} where id in
    (select id from ${rows} where ${sql.ref(column)} = ${from} limit ${most})`.execute(tx);
  return Number(gone.numAffectedRows ?? 0);
}

/** The same of rows that have no id, but `column` and `key` of their own. */
export async function deleteSomeKeyed(
  tx: Transaction,
  { table, column, key }: Referring & { readonly key: readonly string[] },
  from: readonly number[],
  most: number,
): Promise<number> {
  const rows = sql.table(table);
  const whole = sql.join([column, ...key].map((name) => sql.ref(name)));
  const gone = await sql`delete from ${rows} where (${whole}) in
    (select ${whole} from ${rows} where ${isAmong(tx, sql.ref(column), from)} limit ${most})`.execute(tx);
  return Number(gone.numAffectedRows ?? 0);
}

/** Bytes of long texts that go at once: their pages are read one by one to be given back. */
const MOST_BYTES_GONE = 8 * 2 ** 20;

/**
 * So many rows at most go of those that hold a long text, and fewer the longer they are: one at least. How many, or `most`
 * while there may be more of them.
 */
export async function deleteSomeLong(
  tx: Transaction,
  { table, text }: { readonly table: string; readonly text: string },
  where: Expression<SqlBool>,
  most: number,
): Promise<number> {
  const rows = sql.table(table);
  const found = await sql<{ id: number; bytes: number }>`select id, octet_length(${sql.ref(text)}) as bytes
    from ${rows} where ${where} limit ${most}`.execute(tx);
  const some: number[] = [];
  let bytes = 0;
  for (const row of found.rows) {
    bytes += row.bytes;
    if (some.length > 0 && bytes > MOST_BYTES_GONE) break;
    some.push(row.id);
  }
  await sql`delete from ${rows} where ${isAmong(tx, sql.ref('id'), some)}`.execute(tx);
  return some.length < found.rows.length ? most : some.length;
}
