import { sql } from 'kysely';
import { projectsInside } from '../../../access/closure.ts';
import { isAmong } from '../../../database/dialect.ts';
import { subscription } from '../../../facts/bus.ts';
import { removeIssues } from './remove.ts';

/** What becomes of issues when people go. */

/** What a deleted user has filed is the ghost's from then on, or goes with him. index: issues_by_author, issues_by_closed_by */
export const handToGhost = subscription({
  fact: 'user-deleted',
  async inTransaction(act, { userId, ghostUserId, hard }) {
    if (hard) {
      const filed = await act.selectFrom('issues').select('id').where('author_id', '=', userId).execute();
      await removeIssues(
        act,
        filed.map(({ id }) => id),
      );
    }
    await act.updateTable('issues').set({ author_id: ghostUserId }).where('author_id', '=', userId).execute();
    await act.updateTable('issues').set({ closed_by_id: ghostUserId }).where('closed_by_id', '=', userId).execute();
  },
});

/** Who leaves a group or project may leave what was his to do there. index: issue_assignees_by_user */
export const unassignLeavers = subscription({
  fact: 'membership-ended',
  async inTransaction(act, { userId, sourceType, sourceId, unassign }) {
    if (!unassign) return;
    const assigned = await act
      .selectFrom('issue_assignees')
      .innerJoin('issues', 'issues.id', 'issue_assignees.issue_id')
      .select('issue_assignees.id')
      .where('issue_assignees.user_id', '=', userId)
      .where((eb) =>
        sourceType === 'project'
          ? eb('issues.project_id', '=', sourceId)
          : eb('issues.project_id', 'in', projectsInside(act, sourceId)),
      )
      .execute();
    const ids = assigned.map(({ id }) => id);
    await act
      .deleteFrom('issue_assignees')
      .where(isAmong(act, sql<number>`issue_assignees.id`, ids))
      .execute();
  },
});
