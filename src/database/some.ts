import { sql } from 'kysely';
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
