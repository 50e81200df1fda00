import { sql } from 'kysely';
import type { Transaction } from '../../../database/database.ts';
import { type Resource, tableOf } from '../../../history/index.ts';

/** A thing has so many comments more; `changedAt`: that has changed it. */
export async function count(
  tx: Transaction,
  { type, id }: Resource,
  by: 1 | -1,
  changedAt: string | null,
): Promise<void> {
  await tx
    .updateTable(tableOf(type))
    .set({ user_notes_count: sql<number>`user_notes_count + ${sql.lit(by)}` })
    .$if(changedAt !== null, (query) => query.set({ updated_at: changedAt as string }))
    .where('id', '=', id)
    .execute();
}
