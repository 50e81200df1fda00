import { subscription } from '../../../facts/bus.ts';

/** What a deleted user has made is the ghost's from then on, or goes with him. index: epics_by_author, epics_by_closed_by */
export const handToGhost = subscription({
  fact: 'user-deleted',
  async inTransaction(act, { userId, ghostUserId, hard }) {
    if (hard) await act.deleteFrom('epics').where('author_id', '=', userId).execute();
    await act.updateTable('epics').set({ author_id: ghostUserId }).where('author_id', '=', userId).execute();
    await act.updateTable('epics').set({ closed_by_id: ghostUserId }).where('closed_by_id', '=', userId).execute();
  },
});
