import { UserBasic } from '#api/identity/users/index.ts';
import { listParticipants, MERGE_REQUESTS, MERGE_REQUESTS_BY_REVIEWER } from '#api/planning/issuables/index.ts';
import { IssueInList, readableIssueAccess } from '#api/planning/issues/index.ts';
import { mayInProject } from '#authorization/abilities.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { page } from '#http/endpoint/responses.ts';
import { readableMergeRequestAccess } from '../access.ts';
import { listIssuesClosedBy } from '../closing-issues/list-closed-issues.ts';
import { MergeRequestInList } from '../entities.ts';
import { listMergeRequestsClosing, listMergeRequestsMentioning } from './issue-merge-requests.ts';
import { listRelatedIssues } from './related-issues.ts';

/** Participants of a merge request, and merge requests related to issues. */

export const listMergeRequestParticipants = endpoint({
  get: '/projects/:id/merge_requests/:merge_request_iid/participants',
  summary: 'List the participants of a merge request',
  access: readableMergeRequestAccess(),
  response: page(UserBasic),
  read(db, { mergeRequest, project, caller, page }) {
    const includeInternal = mayInProject(caller, 'read_internal_note', project);
    return listParticipants(db, [MERGE_REQUESTS, MERGE_REQUESTS_BY_REVIEWER], mergeRequest, { includeInternal }, page);
  },
});

export const listMergeRequestsClosingIssue = endpoint({
  get: '/projects/:id/issues/:issue_iid/closed_by',
  summary: 'List the merge requests that close an issue',
  access: readableIssueAccess(),
  response: page(MergeRequestInList),
  read: (db, { issue, project, caller, page }) => listMergeRequestsClosing(db, caller, project, issue, page),
});

export const listRelatedMergeRequests = endpoint({
  get: '/projects/:id/issues/:issue_iid/related_merge_requests',
  summary: 'List the merge requests that mention an issue',
  access: readableIssueAccess(),
  response: page(MergeRequestInList),
  read: (db, { issue, project, caller, page }) => listMergeRequestsMentioning(db, caller, project, issue, page),
});

export const listIssuesClosedByMergeRequest = endpoint({
  get: '/projects/:id/merge_requests/:merge_request_iid/closes_issues',
  summary: 'List the issues that a merge request closes',
  access: readableMergeRequestAccess(),
  response: page(IssueInList),
  read: (db, { mergeRequest, project, caller, page }) => listIssuesClosedBy(db, caller, project, mergeRequest, page),
});

export const listIssuesRelatedToMergeRequest = endpoint({
  get: '/projects/:id/merge_requests/:merge_request_iid/related_issues',
  summary: 'List the issues that a merge request mentions',
  access: readableMergeRequestAccess(),
  response: page(IssueInList),
  read: (db, { mergeRequest, project, caller, page }, git) =>
    listRelatedIssues(db, git, { caller, project, mergeRequest, page }),
});
