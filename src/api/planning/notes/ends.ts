import type { Transaction } from '../../../database/database.ts';
import { subscription } from '../../../facts/bus.ts';

/** The notes of a deleted user stay as the ghost's; with `hard` they go, and their things count without them. */
export const giveNotesAway = subscription({
  fact: 'user-deleted',
  async inTransaction(act, { userId, ghostUserId, hard }) {
    if (hard) return deleteNotesOf(act, userId);
    // index: notes_by_author
    await act.updateTable('notes').set({ author_id: ghostUserId }).where('author_id', '=', userId).execute();
  },
});

/** What the feeds say of them goes with their author. index: notes_by_author, notes_by_issue_created */
async function deleteNotesOf(tx: Transaction, userId: number): Promise<void> {
  await tx
    .updateTable('issues')
    .set((eb) => ({
      user_notes_count: eb
        .selectFrom('notes')
        .select((inner) => inner.fn.countAll<number>().as('count'))
        .whereRef('notes.issue_id', '=', 'issues.id')
        .where('notes.system', '=', false)
        .where('notes.author_id', '<>', userId),
    }))
    .where('issues.id', 'in', (eb) =>
      eb
        .selectFrom('notes as own')
        .select('own.issue_id')
        .where('own.author_id', '=', userId)
        .where('own.system', '=', false),
    )
    .execute();
  await tx.deleteFrom('notes').where('author_id', '=', userId).execute();
}
