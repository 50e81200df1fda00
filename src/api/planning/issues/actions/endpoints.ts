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
import { atLeastOne, describe, optional, required } from '#http/parameters/declarations.ts';
import { integer } from '#http/parameters/types.ts';
import { issueAccessWithAbility, moveTargetResource, readableIssueResource, readIssueAccess } from '../access.ts';
import { Issue } from '../entities.ts';
import { issuesLockKey } from '../lock-key.ts';
import * as changes from './changes.ts';

const ISSUE_PATH = '/projects/:id/issues/:issue_iid';

export const reorderIssue = endpoint({
  put: `${ISSUE_PATH}/reorder`,
  summary: 'Reorder an issue',
  description:
    'Moves the issue directly after or before another issue of the project in the manual order, which lists with `order_by=relative_position` show.',
  access: issueAccessWithAbility('update_issue'),
  params: {
    move_after_id: describe(
      optional(integer),
      'Global ID of the issue that comes directly after. Ignored if `move_before_id` is given.',
    ),
    move_before_id: describe(optional(integer), 'Global ID of the issue that comes directly before.'),
  },
  rules: [atLeastOne('move_after_id', 'move_before_id')],
  lock: ({ project }) => issuesLockKey(project),
  errors: { invalidNeighbor: [422, { message: { error: 'Unprocessable Entity' } }], notFound: NOT_FOUND },
  response: ok(Issue),
  write: (uow, { issue, params }) => changes.reorderIssue(uow, issue, params),
});

export const moveIssue = endpoint({
  post: `${ISSUE_PATH}/move`,
  summary: 'Move an issue to another project',
  description:
    'Copies the issue to the target project, closes the original and returns the copy. The copy gets the notes, the links and the epic, those labels, milestones and iterations that exist in the target project, and those assignees who can see the copy. The caller needs the ability to update issues in both projects, else the response is 400. The same project as target returns the issue unchanged.',
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
  write: (uow, { project, params }) => changes.moveIssue(uow, project, params.issue_iid, params.to_project_id),
});

export const subscribeToIssue = endpoint({
  post: `${ISSUE_PATH}/subscribe`,
  summary: 'Subscribe to an issue',
  description:
    'Subscribes the caller to mails about the issue and returns the issue. Answers 304 if the caller is already subscribed. Authors, assignees and commenters are subscribed from the start.',
  access: inProject('act_on_issue').resource(readableIssueResource),
  errors: { subscriptionUnchanged: NOT_MODIFIED },
  response: created(Issue),
  write: (uow, { issue }) => updateSubscription(uow, ISSUES, issue, true),
});

export const unsubscribeFromIssue = endpoint({
  post: `${ISSUE_PATH}/unsubscribe`,
  summary: 'Unsubscribe from an issue',
  description:
    "Ends the caller's subscription, also that of an author or assignee, and returns the issue. Answers 304 if the caller is not subscribed.",
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
  readAccess: () => readIssueAccess().map(({ issue, caller }) => ({ noteable: issue, caller })),
});

export const listIssueParticipants = endpoint({
  get: `${ISSUE_PATH}/participants`,
  summary: 'List the participants of an issue',
  description:
    'Lists the author, the assignees and users who have commented, ordered by ID. Authors of internal notes are included only for callers who may read these notes.',
  access: readIssueAccess(),
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
