import { sql } from 'kysely';
import { type Noted, tableOf } from '#activity/index.ts';
import type { Transaction } from '#database/database.ts';

/** A thing has so many comments more; `changedAt`: that has changed it. Nobody tells how many a commit has. */
export async function count(tx: Transaction, { type, id }: Noted, by: 1 | -1, changedAt: string | null): Promise<void> {
  if (type === 'Commit') return;
  await tx
    .updateTable(tableOf(type))
    .set({ user_notes_count: sql<number>`user_notes_count + ${sql.lit(by)}` })
    .$if(changedAt !== null, (query) => query.set({ updated_at: changedAt as string }))
    .where('id', '=', id)
    .execute();
}
