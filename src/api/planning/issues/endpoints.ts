import { findIssues } from '#authorization/issues.ts';
import { administratorLate } from '#http/access/access.ts';
import { inProject } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, noContent, ok } from '#http/endpoint/responses.ts';
import { FORBIDDEN, INVALID, NOT_FOUND } from '#http/errors/error-messages.ts';
import { atLeastOne, exclusive, required } from '#http/parameters/declarations.ts';
import { title } from '#http/parameters/texts.ts';
import { integer } from '#http/parameters/types.ts';
import { fail } from '#runtime/failure.ts';
import { ISSUES, removeThing, unchangedOnly } from '../issuables/index.ts';
import { issueNotFound, managingIssue, readingIssue, updatingIssue } from './access.ts';
import { createIssue as create } from './create.ts';
import { Issue } from './entities.ts';
import { issuesTurn } from './lock-key.ts';
import { issueChangeParams, newIssueParams } from './parameters.ts';
import { changeIssue } from './update.ts';

export const readIssue = endpoint({
  get: '/projects/:id/issues/:issue_iid',
  summary: 'Read an issue',
  access: readingIssue(),
  response: ok(Issue),
  read: (_db, { issue }) => issue,
});

export const readIssueById = endpoint({
  get: '/issues/:id',
  summary: 'Read an issue by its id',
  access: administratorLate(),
  params: { id: required(integer) },
  errors: { notFound: NOT_FOUND },
  response: ok(Issue),
  read: async (db, { caller, params }) => (await findIssues(db, caller, [params.id]))[0] ?? fail('notFound'),
});

export const createIssue = endpoint({
  post: '/projects/:id/issues',
  summary: 'File an issue',
  access: inProject('create_issue'),
  params: { title: required(title), ...newIssueParams },
  rules: [exclusive('assignee_ids', 'assignee_id'), exclusive('epic_id', 'epic_iid')],
  lock: ({ project }) => issuesTurn(project),
  errors: {
    invalid: INVALID,
    noEpic: NOT_FOUND,
    epicUnreadable: FORBIDDEN,
    archived: FORBIDDEN,
    gone: NOT_FOUND,
    taken: [409, 'Duplicated issue'],
  },
  uniqueErrors: { issues_by_iid: 'taken' },
  activity: ['created Issue', 'milestone add', 'label add', 'weight', 'note mention', 'note child', 'note parent'],
  response: created(Issue),
  write: (uow, { project, params }) => create(uow, project, params),
});

export const updateIssue = endpoint({
  put: '/projects/:id/issues/:issue_iid',
  summary: 'Change an issue, close or reopen it',
  access: updatingIssue(),
  params: issueChangeParams,
  rules: [
    exclusive('assignee_ids', 'assignee_id'),
    exclusive('epic_id', 'epic_iid'),
    atLeastOne(...Object.keys(issueChangeParams)),
  ],
  errors: { invalid: INVALID, noEpic: NOT_FOUND, epicUnreadable: FORBIDDEN, archived: FORBIDDEN, gone: NOT_FOUND },
  activity: [
    'closed Issue',
    'reopened Issue',
    'state closed',
    'state opened',
    'milestone add',
    'milestone remove',
    'label add',
    'label remove',
    'weight',
    'note title',
    'note description',
    'note assignee',
    'note due_date',
    'note confidential',
    'note lock',
    'note mention',
    'note child',
    'note parent',
  ],
  response: ok(Issue),
  write: (uow, { project, issue, params }) => changeIssue(uow, project, issue.iid, params),
});

export const deleteIssue = endpoint({
  delete: '/projects/:id/issues/:issue_iid',
  summary: 'Delete an issue',
  access: managingIssue('delete_issue', issueNotFound).resource(unchangedOnly),
  lastModified: ({ issue }) => issue.updated_at,
  errors: { gone: [404, '404 Issue Not Found'], changed: [412, '412 Precondition Failed'] },
  response: noContent,
  write: (uow, { issue, unchanged }) => removeThing(uow, ISSUES, issue, unchanged.only),
});

export * from './actions/endpoints.ts';
export * from './listing/endpoints.ts';
