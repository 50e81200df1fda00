import { sql } from 'kysely';
import type { Transaction } from '#database/database.ts';
import { isAmong } from '#database/dialect.ts';

/** A table that ties things to others: to the labels that they bear, the people whom they are assigned to. */
interface Links {
  readonly table: string;
  /** The column of the things. */
  readonly of: string;
  readonly to: 'label_id' | 'user_id';
  /** The column that says since when, if there is one. */
  readonly since?: 'created_at' | undefined;
}

/** What a thing is tied to, and shall be tied to. */
export interface Linked {
  readonly before: readonly number[];
  readonly now: readonly number[];
}

/** What goes of `before`, and comes, to make `now` of it. */
export const difference = ({ before, now }: Linked) => ({
  gone: before.filter((one) => !now.includes(one)),
  come: now.filter((one) => !before.includes(one)),
});

/** Makes `now` of `before`. What stays keeps its place. */
export async function link(
  tx: Transaction,
  { table, of, to, since }: Links,
  id: number,
  linked: Linked,
): Promise<void> {
  const [rows, thing, other] = [sql.table(table), sql.ref(of), sql.ref<number>(to)];
  const { gone, come } = difference(linked);
  if (gone.length > 0) {
    await sql`delete from ${rows} where ${thing} = ${id} and ${isAmong(tx, other, gone)}`.execute(tx);
  }
  if (come.length > 0) {
    const columns = [thing, other, ...(since ? [sql.ref(since)] : [])];
    const values = come.map((one) => sql`(${sql.join([id, one, ...(since ? [tx.now] : [])])})`);
    await sql`insert into ${rows} (${sql.join(columns)}) values ${sql.join(values)}`.execute(tx);
  }
}
