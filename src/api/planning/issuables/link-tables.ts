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

/** Ids of the linked labels or users before and after an update. */
export interface SetChange {
  readonly before: readonly number[];
  readonly after: readonly number[];
}

/** Returns the ids that the update removes and adds. */
export const diffSets = ({ before, after }: SetChange) => ({
  removed: before.filter((id) => !after.includes(id)),
  added: after.filter((id) => !before.includes(id)),
});

/** Inserts and deletes rows of a join table. Unchanged rows keep their order. */
export async function updateLinks(
  tx: Transaction,
  { table, ownerColumn, targetColumn, createdAtColumn }: LinkTable,
  ownerId: number,
  change: SetChange,
): Promise<void> {
  const [linkTable, ownerColumnRef, targetColumnRef] = [
    sql.table(table),
    sql.ref(ownerColumn),
    sql.ref<number>(targetColumn),
  ];
  const { removed, added } = diffSets(change);
  if (removed.length > 0) {
    await sql`delete from ${linkTable} where ${ownerColumnRef} = ${ownerId} and ${isInIds(tx, targetColumnRef, removed)}`.execute(
      tx,
    );
  }
  if (added.length > 0) {
    const columns = [ownerColumnRef, targetColumnRef, ...(createdAtColumn ? [sql.ref(createdAtColumn)] : [])];
    const values = added.map(
      (targetId) => sql`(${sql.join([ownerId, targetId, ...(createdAtColumn ? [tx.now] : [])])})`,
    );
    await sql`insert into ${linkTable} (${sql.join(columns)}) values ${sql.join(values)}`.execute(tx);
  }
}
