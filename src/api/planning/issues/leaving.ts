import { sql } from 'kysely';
import { projectsInside } from '../../../access/closure.ts';
import { isAmong } from '../../../database/dialect.ts';
import { subscription } from '../../../facts/bus.ts';
import { endWithProject, handToGhost, ISSUES } from '../issuables/index.ts';

/** What becomes of issues when people go, or the project. */

/** index: issues_by_author, issues_by_closed_by, issue_assignees_by_user, subscriptions_by_user */
export const issuesToGhost = handToGhost(ISSUES, {
  columns: ['author_id', 'closed_by_id'],
  lost: [
    { table: 'issue_assignees', column: 'user_id' },
    { table: 'subscriptions', column: 'user_id' },
  ],
});

/** index: issues_by_iid */
export const issuesEnd = endWithProject(ISSUES);

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
