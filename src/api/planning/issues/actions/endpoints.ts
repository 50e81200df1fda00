import { UserBasic } from '#api/identity/users/index.ts';
import {
  createTimeTrackingEndpoints,
  ISSUES,
  listParticipants,
  updateSubscription,
} from '#api/planning/issuables/index.ts';
import { mayInProject } from '#authorization/abilities.ts';
import { inProject } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, ok, page } from '#http/endpoint/responses.ts';
import { NOT_FOUND, NOT_MODIFIED, PARENT_NOT_FOUND } from '#http/errors/error-messages.ts';
import { atLeastOne, optional, required } from '#http/parameters/declarations.ts';
import { integer } from '#http/parameters/types.ts';
import { issueAccessWithAbility, moveTargetResource, readableIssueAccess, readableIssueResource } from '../access.ts';
import { Issue } from '../entities.ts';
import { issuesLockKey } from '../lock-key.ts';
import { moveIssue as move, reorderIssue as reorder } from './changes.ts';

const ISSUE_PATH = '/projects/:id/issues/:issue_iid';

export const reorderIssue = endpoint({
  put: `${ISSUE_PATH}/reorder`,
  summary: 'Reorder an issue',
  access: issueAccessWithAbility('update_issue'),
  params: { move_after_id: optional(integer), move_before_id: optional(integer) },
  rules: [atLeastOne('move_after_id', 'move_before_id')],
  lock: ({ project }) => issuesLockKey(project),
  errors: { invalidNeighbor: [422, { message: { error: 'Unprocessable Entity' } }], notFound: NOT_FOUND },
  response: ok(Issue),
  write: (uow, { issue, params }) => reorder(uow, issue, params),
});

export const moveIssue = endpoint({
  post: `${ISSUE_PATH}/move`,
  summary: 'Move an issue to another project',
  access: inProject('act_on_issue').resource(moveTargetResource),
  params: { issue_iid: required(integer) },
  lock: ({ project, target }) => issuesLockKey(target.project ?? project),
  errors: {
    issueNotFound: [404, '404 Issue Not Found'],
    projectNotFound: PARENT_NOT_FOUND.Project,
    forbidden: [400, 'Unable to move. You have insufficient permissions.'],
  },
  activity: [
    'created Issue',
    'milestone add',
    'label add',
    'weight',
    'closed Issue',
    'state closed',
    'note moved_to',
    'note moved_from',
  ],
  response: created(Issue),
  write: (uow, { project, params }) => move(uow, project, params.issue_iid, params.to_project_id),
});

export const subscribeToIssue = endpoint({
  post: `${ISSUE_PATH}/subscribe`,
  summary: 'Subscribe to an issue',
  access: inProject('act_on_issue').resource(readableIssueResource),
  errors: { subscriptionUnchanged: NOT_MODIFIED },
  response: created(Issue),
  write: (uow, { issue }) => updateSubscription(uow, ISSUES, issue, true),
});

export const unsubscribeFromIssue = endpoint({
  post: `${ISSUE_PATH}/unsubscribe`,
  summary: 'Unsubscribe from an issue',
  access: inProject('act_on_issue').resource(readableIssueResource),
  errors: { subscriptionUnchanged: NOT_MODIFIED },
  response: created(Issue),
  write: (uow, { issue }) => updateSubscription(uow, ISSUES, issue, false),
});

export const {
  estimate: estimateIssue,
  resetEstimate: resetIssueEstimate,
  spend: addIssueTime,
  resetSpent: resetIssueTime,
  read: getIssueTimeStats,
} = createTimeTrackingEndpoints({
  path: ISSUE_PATH,
  nounWithArticle: 'an issue',
  updateAccess: () =>
    issueAccessWithAbility('update_issue').map(({ issue, caller }) => ({
      noteable: { type: 'Issue', id: issue.id },
      caller,
    })),
  readAccess: () => readableIssueAccess().map(({ issue, caller }) => ({ noteable: issue, caller })),
});

export const listIssueParticipants = endpoint({
  get: `${ISSUE_PATH}/participants`,
  summary: 'List the participants of an issue',
  access: readableIssueAccess(),
  response: page(UserBasic),
  read: (db, { issue, project, caller, page }) =>
    listParticipants(
      db,
      [ISSUES],
      issue,
      { includeInternal: mayInProject(caller, 'read_confidential_issue', project) },
      page,
    ),
});
