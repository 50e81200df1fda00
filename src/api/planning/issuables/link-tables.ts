import { sql } from 'kysely';
import type { Transaction } from '#database/database.ts';
import { isInIds } from '#database/dialect.ts';

/** A join table, such as issue to label or issue to assignee. */
interface LinkTable {
  readonly table: string;
  /** Foreign key to the issuable. */
  readonly ownerColumn: string;
  readonly targetColumn: 'label_id' | 'user_id';
  /** Column with the creation time, if the table has one. */
  readonly createdAtColumn?: 'created_at' | undefined;
}

/** Ids that are linked before and after a change. */
export interface SetChange {
  readonly before: readonly number[];
  readonly after: readonly number[];
}

/** Returns the ids that a change removes and adds. */
export const diffSets = ({ before, after }: SetChange) => ({
  removed: before.filter((one) => !after.includes(one)),
  added: after.filter((one) => !before.includes(one)),
});

/** Applies a change to a join table. Unchanged rows keep their order. */
export async function updateLinks(
  tx: Transaction,
  { table, ownerColumn, targetColumn, createdAtColumn }: LinkTable,
  id: number,
  change: SetChange,
): Promise<void> {
  const [rows, owner, target] = [sql.table(table), sql.ref(ownerColumn), sql.ref<number>(targetColumn)];
  const { removed, added } = diffSets(change);
  if (removed.length > 0) {
    await sql`delete from ${rows} where ${owner} = ${id} and ${isInIds(tx, target, removed)}`.execute(tx);
  }
  if (added.length > 0) {
    const columns = [owner, target, ...(createdAtColumn ? [sql.ref(createdAtColumn)] : [])];
    const values = added.map((one) => sql`(${sql.join([id, one, ...(createdAtColumn ? [tx.now] : [])])})`);
    await sql`insert into ${rows} (${sql.join(columns)}) values ${sql.join(values)}`.execute(tx);
  }
}
