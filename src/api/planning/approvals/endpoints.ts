import { endpoint } from '#http/endpoint/endpoint.ts';
import { accepted, created, ok } from '#http/endpoint/responses.ts';
import { optional } from '#http/parameters/declarations.ts';
import { refName } from '#http/parameters/texts.ts';
import { approve, unapprove } from '../approval-rows/index.ts';
import { mergeRequestAccessWithAbility, readableMergeRequestAccess, SHA_DIFFERS } from '../merge-requests/index.ts';
import { resetApprovalsAccess } from './access.ts';
import { ApprovalState, Approvals } from './entities.ts';
import { resetApprovals } from './reset.ts';

// Approvals of merge requests (contract/planning.md §3.8 "Approvals").

const MERGE_REQUEST = '/projects/:id/merge_requests/:merge_request_iid';

const UNAUTHORIZED = [401, '401 Unauthorized'] as const;

export const getMergeRequestApprovals = endpoint({
  get: `${MERGE_REQUEST}/approvals`,
  summary: 'Get the approvals of a merge request',
  access: readableMergeRequestAccess(),
  response: ok(Approvals),
  read: (_db, { mergeRequest, project }) => ({ mergeRequest, project }),
});

export const getMergeRequestApprovalState = endpoint({
  get: `${MERGE_REQUEST}/approval_state`,
  summary: 'Get the approval state of a merge request',
  access: readableMergeRequestAccess(),
  response: ok(ApprovalState),
  read: () => ({ approval_rules_overwritten: false, rules: [] }),
});

export const approveMergeRequest = endpoint({
  post: `${MERGE_REQUEST}/approve`,
  summary: 'Approve a merge request',
  access: mergeRequestAccessWithAbility('update_merge_request'),
  params: { sha: optional(refName) },
  errors: { shaDiffers: SHA_DIFFERS, notAllowed: UNAUTHORIZED },
  activity: ['approved MergeRequest', 'note approval'],
  response: created(Approvals),
  write: (uow, { project, mergeRequest, params }) => approve(uow, project, mergeRequest, params.sha),
});

export const unapproveMergeRequest = endpoint({
  post: `${MERGE_REQUEST}/unapprove`,
  summary: 'Unapprove a merge request',
  access: mergeRequestAccessWithAbility('update_merge_request'),
  errors: { notApproved: [404, '404 Not Found'] },
  activity: ['note approval'],
  response: created(Approvals),
  write: (uow, { project, mergeRequest }) => unapprove(uow, project, mergeRequest),
});

export const resetMergeRequestApprovals = endpoint({
  put: `${MERGE_REQUEST}/reset_approvals`,
  summary: 'Reset the approvals of a merge request',
  access: resetApprovalsAccess(),
  errors: { alreadyMerged: UNAUTHORIZED },
  response: accepted,
  write: (uow, { mergeRequest }) => resetApprovals(uow, mergeRequest),
});
