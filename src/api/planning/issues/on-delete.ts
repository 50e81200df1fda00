import { endWithProject, handToGhost, ISSUES, unassignWhoLeaves } from '../issuables/index.ts';

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

/** index: issue_assignees_by_user */
export const unassignLeavers = unassignWhoLeaves(ISSUES);
