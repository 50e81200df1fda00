import { sql } from 'kysely';
import { getResourceTable, type NoteTarget } from '#activity/index.ts';
import type { Transaction } from '#database/database.ts';

/** Adds `difference` to the comment count of an issuable. `changedAt` becomes its `updated_at` unless null. Commits and snippets have no count. */
export async function updateNoteCount(
  tx: Transaction,
  { type, id }: NoteTarget,
  difference: 1 | -1,
  changedAt: string | null,
): Promise<void> {
  if (type === 'Commit' || type === 'Snippet') return;
  await tx
    .updateTable(getResourceTable(type))
    .set({ user_notes_count: sql<number>`user_notes_count + ${sql.lit(difference)}` })
    .$if(changedAt !== null, (query) => query.set({ updated_at: changedAt as string }))
    .where('id', '=', id)
    .execute();
}
