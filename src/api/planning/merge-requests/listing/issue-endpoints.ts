import { UserBasic } from '#api/identity/users/index.ts';
import { listParticipants, MERGE_REQUESTS, REVIEWED } from '#api/planning/issuables/index.ts';
import { IssueInList, readingIssue } from '#api/planning/issues/index.ts';
import { mayInProject } from '#authorization/abilities.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { page } from '#http/endpoint/responses.ts';
import { readingMergeRequest } from '../access.ts';
import { issuesClosedBy } from '../closing-issues/list-closed-issues.ts';
import { MergeRequestInList } from '../entities.ts';
import { closingIssue, mentioningIssue } from './issue-merge-requests.ts';

/** Who takes part in a merge request, and which of them are about an issue. */

export const listMergeRequestParticipants = endpoint({
  get: '/projects/:id/merge_requests/:merge_request_iid/participants',
  summary: 'List who takes part in a merge request: its author, its assignees, its reviewers and who has commented',
  access: readingMergeRequest(),
  response: page(UserBasic),
  read(db, { mergeRequest, project, caller, page }) {
    const internal = mayInProject(caller, 'read_internal_note', project);
    return listParticipants(db, [MERGE_REQUESTS, REVIEWED], mergeRequest, { internal }, page);
  },
});

export const listMergeRequestsClosingIssue = endpoint({
  get: '/projects/:id/issues/:issue_iid/closed_by',
  summary: 'List the merge requests whose merge closes an issue',
  access: readingIssue(),
  response: page(MergeRequestInList),
  read: (db, { issue, project, caller, page }) => closingIssue(db, caller, project, issue, page),
});

export const listRelatedMergeRequests = endpoint({
  get: '/projects/:id/issues/:issue_iid/related_merge_requests',
  summary: 'List the merge requests that mention an issue',
  access: readingIssue(),
  response: page(MergeRequestInList),
  read: (db, { issue, project, caller, page }) => mentioningIssue(db, caller, project, issue, page),
});

export const listIssuesClosedByMergeRequest = endpoint({
  get: '/projects/:id/merge_requests/:merge_request_iid/closes_issues',
  summary: 'List the issues that merging a merge request closes',
  access: readingMergeRequest(),
  response: page(IssueInList),
  read: (db, { mergeRequest, project, caller, page }) => issuesClosedBy(db, caller, project, mergeRequest, page),
});
