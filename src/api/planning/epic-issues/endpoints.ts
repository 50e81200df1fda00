import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, list, ok, page } from '#http/endpoint/responses.ts';
import { FORBIDDEN, NOT_FOUND } from '#http/errors/error-messages.ts';
import { describe, optional } from '#http/parameters/declarations.ts';
import { integer } from '#http/parameters/types.ts';
import { epicAccessWithAbility } from '../epics/index.ts';
import { addEpicIssueAccess, updateEpicIssueAccess } from './access.ts';
import { addIssue, removeIssue, reorderIssue } from './changes.ts';
import { EpicIssue, EpicIssueLink, EpicIssueMoved } from './entities.ts';
import { listIssuesOfEpic } from './store.ts';

const EPIC_ISSUES_PATH = '/groups/:id/epics/:epic_iid/issues';

/** Lock key for changing the issues of an epic or their order. */
const epicIssuesLockKey = ({ id }: { readonly id: number }) => `issues of epic ${id}`;

export const listEpicIssues = endpoint({
  get: EPIC_ISSUES_PATH,
  summary: 'List the issues of an epic',
  description:
    'Lists the issues of the epic that the caller may read, in their manual order. The epic must belong to this very group. Requires a tier with epics.',
  access: epicAccessWithAbility('read_epic'),
  response: page(EpicIssue),
  read: (db, { epic, caller, page }) => listIssuesOfEpic(db, caller, epic, page),
});

export const addEpicIssue = endpoint({
  post: `${EPIC_ISSUES_PATH}/:issue_id`,
  summary: 'Add an issue to an epic',
  description:
    "Adds the issue with the global ID `issue_id` in front of the epic's other issues. An issue has at most one epic: adding it removes it from its former one. The caller must be able to read the issue and be a member of its project. System notes are written on the issue and on both epics.",
  access: addEpicIssueAccess(),
  lock: ({ epic }) => epicIssuesLockKey(epic),
  errors: {
    notFound: NOT_FOUND,
    noMatchingIssue: [404, 'No matching issue found. Make sure that you are adding a valid issue URL.'],
    archived: FORBIDDEN,
    alreadyInEpic: [409, 'Issue(s) already assigned'],
    issueNotConfidential: [
      422,
      '#{iid} cannot be added: cannot assign a non-confidential issue to a confidential parent. Make the issue confidential and try again.',
    ],
  },
  activity: ['note child', 'note parent'],
  response: created(EpicIssueLink),
  write: (uow, { epic, child }) => addIssue(uow, epic, child),
});

export const removeEpicIssue = endpoint({
  delete: `${EPIC_ISSUES_PATH}/:epic_issue_id`,
  summary: 'Remove an issue from an epic',
  description:
    'Removes the association `epic_issue_id` and returns its former state. The caller must be able to read the issue and be a member of its project. System notes are written on the epic and the issue.',
  access: updateEpicIssueAccess(),
  errors: { notFound: NOT_FOUND, linkNotFound: [404, 'No Issue Link found'] },
  activity: ['note child', 'note parent'],
  response: ok(EpicIssueLink),
  write: (uow, { epic, associatedIssue: { association, child } }) => removeIssue(uow, epic, association.id, child),
});

export const reorderEpicIssue = endpoint({
  put: `${EPIC_ISSUES_PATH}/:epic_issue_id`,
  summary: 'Reorder an issue of an epic',
  description:
    "Moves an issue directly after or before another one of the epic. Returns the first page of the epic's issues in their new order. Without a parameter the order stays as it is.",
  access: updateEpicIssueAccess(),
  params: {
    move_before_id: describe(optional(integer), 'The `epic_issue_id` of the issue that comes directly before.'),
    move_after_id: describe(
      optional(integer),
      'The `epic_issue_id` of the issue that comes directly after. Ignored if `move_before_id` is given.',
    ),
  },
  lock: ({ epic }) => epicIssuesLockKey(epic),
  errors: {
    notFound: NOT_FOUND,
    forbidden: FORBIDDEN,
    invalidNeighbor: [400, { message: { error: 'Issue could not be moved!' } }],
  },
  response: list(EpicIssueMoved),
  write: (uow, { epic, associatedIssue: { association, child }, params }) =>
    reorderIssue(uow, epic, association.id, child, params),
});
