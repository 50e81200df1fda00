import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, list, ok, page } from '#http/endpoint/responses.ts';
import { FORBIDDEN, NOT_FOUND } from '#http/errors/error-messages.ts';
import { optional } from '#http/parameters/declarations.ts';
import { integer } from '#http/parameters/types.ts';
import { epicAccessWithAbility } from '../epics/index.ts';
import { addIssueAccess, updateIssueAccess } from './access.ts';
import { addIssue, removeIssue, reorderIssue } from './changes.ts';
import { EpicIssue, EpicIssueLink, EpicIssueMoved } from './entities.ts';
import { listIssuesOfEpic } from './store.ts';

const ISSUES = '/groups/:id/epics/:epic_iid/issues';

/** Lock key for changing the issues of an epic or their order. */
const epicIssuesLockKey = ({ id }: { readonly id: number }) => `issues of epic ${id}`;

export const listEpicIssues = endpoint({
  get: ISSUES,
  summary: 'List the issues of an epic',
  access: epicAccessWithAbility('read_epic'),
  response: page(EpicIssue),
  read: (db, { epic, caller, page }) => listIssuesOfEpic(db, caller, epic, page),
});

export const addEpicIssue = endpoint({
  post: `${ISSUES}/:issue_id`,
  summary: 'Add an issue to an epic',
  access: addIssueAccess(),
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
  delete: `${ISSUES}/:epic_issue_id`,
  summary: 'Remove an issue from an epic',
  access: updateIssueAccess(),
  errors: { notFound: NOT_FOUND, linkNotFound: [404, 'No Issue Link found'] },
  activity: ['note child', 'note parent'],
  response: ok(EpicIssueLink),
  write: (uow, { epic, associatedIssue: { association, child } }) => removeIssue(uow, epic, association.id, child),
});

export const reorderEpicIssue = endpoint({
  put: `${ISSUES}/:epic_issue_id`,
  summary: 'Reorder an issue of an epic',
  access: updateIssueAccess(),
  params: { move_before_id: optional(integer), move_after_id: optional(integer) },
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
