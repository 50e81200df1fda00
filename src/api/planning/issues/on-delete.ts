import {
  deleteIssuablesOfProject,
  ISSUES,
  reassignIssuablesToGhost,
  unassignFormerMembers,
} from '../issuables/index.ts';

/** Deletion of issues with their project or author. */

/** index: issues_by_author, issues_by_closed_by, issue_assignees_by_user, subscriptions_by_user */
export const onUserDeleted = reassignIssuablesToGhost(ISSUES, {
  columns: ['author_id', 'closed_by_id'],
  deleted: [
    { table: 'issue_assignees', column: 'user_id' },
    { table: 'subscriptions', column: 'user_id' },
  ],
});

/** index: issues_by_iid */
export const deleteIssuesOfProject = deleteIssuablesOfProject(ISSUES);

/** index: issue_assignees_by_user */
export const onMembershipEnded = unassignFormerMembers(ISSUES);
