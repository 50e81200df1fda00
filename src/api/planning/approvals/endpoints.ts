import { mayInProject } from '#authorization/abilities.ts';
import { findMergeRequest, type MergeRequest } from '#authorization/merge-requests.ts';
import { isTokenBot } from '#domain/members/token-bots.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { accepted, created, ok } from '#http/endpoint/responses.ts';
import { unauthorized } from '#http/errors/http-error.ts';
import { describe, optional } from '#http/parameters/declarations.ts';
import { refName } from '#http/parameters/texts.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { addApproval, deleteApprovals, removeApproval, resetReviewStates } from '../approval-rows/index.ts';
import {
  authorizedMergeRequestAccess,
  mergeRequestAccessWithAbility,
  readMergeRequestAccess,
  SHA_DIFFERS,
} from '../merge-requests/index.ts';
import { ApprovalState, Approvals } from './entities.ts';

/** Access for bots of project and group tokens with the Developer role; all other callers get 401. */
const resetApprovalsAccess = () =>
  authorizedMergeRequestAccess(async ({ db, caller }, { project }) => {
    const isBot = caller.user !== null && (await isTokenBot(db, caller.user.id));
    if (!isBot || !mayInProject(caller, 'update_merge_request', project)) throw unauthorized();
  }).withLabel('project:update_merge_request, token bots only (401)');

// Approvals of merge requests (contract/planning.md §3.8 "Approvals").

const MERGE_REQUEST = '/projects/:id/merge_requests/:merge_request_iid';

const UNAUTHORIZED = [401, '401 Unauthorized'] as const;

export const getMergeRequestApprovals = endpoint({
  get: `${MERGE_REQUEST}/approvals`,
  summary: 'Get the approvals of a merge request',
  description:
    'Returns the merge request with the users who have approved it. Approvals are never required, so `approved` is always true. `user_can_approve` tells whether an approval by the caller would succeed.',
  access: readMergeRequestAccess(),
  response: ok(Approvals),
  read: (_db, { mergeRequest, project }) => ({ mergeRequest, project }),
});

export const getMergeRequestApprovalState = endpoint({
  get: `${MERGE_REQUEST}/approval_state`,
  summary: 'Get the approval state of a merge request',
  description: 'Approval rules are not supported, so `rules` is always empty.',
  access: readMergeRequestAccess(),
  response: ok(ApprovalState),
  read: () => ({ approval_rules_overwritten: false, rules: [] }),
});

export const approveMergeRequest = endpoint({
  post: `${MERGE_REQUEST}/approve`,
  summary: 'Approve a merge request',
  description:
    'Records the approval in a system note, and marks the pending to-do items of the caller for the merge request as done. Answers 401 if the caller has already approved the merge request or it is merged. On the premium and ultimate tiers, authors cannot approve their own merge requests.',
  access: mergeRequestAccessWithAbility('update_merge_request'),
  params: { sha: describe(optional(refName), 'The approval fails unless this is the head of the source branch.') },
  errors: { shaDiffers: SHA_DIFFERS, notAllowed: UNAUTHORIZED },
  activity: ['approved MergeRequest', 'note approval'],
  response: created(Approvals),
  write: (uow, { project, mergeRequest, params }) => addApproval(uow, project, mergeRequest, params.sha),
});

export const unapproveMergeRequest = endpoint({
  post: `${MERGE_REQUEST}/unapprove`,
  summary: 'Unapprove a merge request',
  description:
    'Removes the approval of the caller and records it in a system note. Answers 404 if the caller has not approved the merge request or it is merged.',
  access: mergeRequestAccessWithAbility('update_merge_request'),
  errors: { notApproved: [404, '404 Not Found'] },
  activity: ['note approval'],
  response: created(Approvals),
  write: (uow, { project, mergeRequest }) => removeApproval(uow, project, mergeRequest),
});

export const resetMergeRequestApprovals = endpoint({
  put: `${MERGE_REQUEST}/reset_approvals`,
  summary: 'Reset the approvals of a merge request',
  description:
    'Deletes all approvals, without notes and notifications. Only bots of project and group access tokens with the Developer role may do this; all other callers get 401.',
  access: resetApprovalsAccess(),
  errors: { alreadyMerged: UNAUTHORIZED },
  response: accepted,
  write: (uow, { mergeRequest }) => resetApprovals(uow, mergeRequest),
});

/** Deletes all approvals without notifications. Fails if the merge request is merged. */
async function resetApprovals(
  uow: UnitOfWork,
  { id, iid, project_id }: MergeRequest,
): Promise<undefined | Failure<'alreadyMerged'>> {
  const mergeRequest = await findMergeRequest(uow, uow.actor, project_id, iid);
  if (mergeRequest?.state === 'merged') return fail('alreadyMerged');
  await deleteApprovals(uow, id);
  await resetReviewStates(uow, id);
}
