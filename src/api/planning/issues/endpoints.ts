import { findIssues } from '#authorization/issues.ts';
import { administratorAfterParameters } from '#http/access/access.ts';
import { inProject } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, noContent, ok } from '#http/endpoint/responses.ts';
import { FORBIDDEN, INVALID, NOT_FOUND } from '#http/errors/error-messages.ts';
import { atLeastOne, mutuallyExclusive, required } from '#http/parameters/declarations.ts';
import { shortText } from '#http/parameters/texts.ts';
import { integer } from '#http/parameters/types.ts';
import { fail } from '#runtime/failure.ts';
import { deleteIssuable, ISSUES, ifUnmodifiedResource } from '../issuables/index.ts';
import { notesLockKey } from '../note-rows/index.ts';
import { issueAccessWithAbility, issueNotFound, readIssueAccess, updateIssueAccess } from './access.ts';
import * as changes from './changes.ts';
import { Issue } from './entities.ts';
import { findFollowedMergeRequest } from './follow-up.ts';
import { issuesLockKey } from './lock-key.ts';
import { createIssueParams, updateIssueParams } from './parameters.ts';
import { updateIssueWithQuickActions } from './update.ts';

export const getIssue = endpoint({
  get: '/projects/:id/issues/:issue_iid',
  summary: 'Get an issue',
  description:
    'Returns an issue by its `iid`. Confidential issues answer 404 to callers who may not read them. `weight`, `epic` and `iteration` are absent on tiers without these features.',
  access: readIssueAccess(),
  response: ok(Issue),
  read: (_db, { issue }) => issue,
});

export const getIssueById = endpoint({
  get: '/issues/:id',
  summary: 'Get an issue by id',
  description: 'Returns an issue of any project by its global ID.',
  access: administratorAfterParameters(),
  params: { id: required(integer) },
  errors: { notFound: NOT_FOUND },
  response: ok(Issue),
  read: async (db, { caller, params }) => (await findIssues(db, caller, [params.id]))[0] ?? fail('notFound'),
});

export const createIssue = endpoint({
  post: '/projects/:id/issues',
  summary: 'Create an issue',
  description:
    "Creates an issue at the end of the project's manual order and executes the quick actions in its description. Labels, milestone, assignees, weight, epic and dates are ignored from callers who are not members. Unknown labels are created if the caller may manage labels. Watchers, assignees and mentioned users are notified.",
  access: inProject('create_issue'),
  params: { title: required(shortText), ...createIssueParams },
  rules: [mutuallyExclusive('assignee_ids', 'assignee_id'), mutuallyExclusive('epic_id', 'epic_iid')],
  errors: {
    invalid: INVALID,
    epicNotFound: NOT_FOUND,
    epicUnreadable: FORBIDDEN,
    archived: FORBIDDEN,
    notFound: NOT_FOUND,
    iidTaken: [409, 'Duplicated issue'],
  },
  uniqueErrors: { issues_by_iid: 'iidTaken' },
  activity: [
    'created Issue',
    'milestone add',
    'label add',
    'weight',
    'note mention',
    'note child',
    'note parent',
    'note discussion',
  ],
  response: created(Issue),
  async handle({ caller, project, params, base }, { runUnitOfWork, database }) {
    const mergeRequest = await findFollowedMergeRequest(
      database.reader,
      caller,
      project,
      params.merge_request_to_resolve_discussions_of,
    );
    const lock = [issuesLockKey(project), ...(mergeRequest === null ? [] : [notesLockKey({ noteable: mergeRequest })])];
    const followUp = { mergeRequest, baseUrl: base.url };
    return runUnitOfWork(caller, (uow) => changes.createIssue(uow, project, params, followUp), { lock });
  },
});

export const updateIssue = endpoint({
  put: '/projects/:id/issues/:issue_iid',
  summary: 'Update an issue',
  description:
    'Updates the given attributes and executes the quick actions in the description; at least one attribute is required. Authors and assignees may change texts and state. Labels, milestone, assignees and other metadata are ignored from callers below the Planner role. Changes are recorded as system notes or resource events, and notify participants.',
  access: updateIssueAccess(),
  params: updateIssueParams,
  rules: [
    mutuallyExclusive('assignee_ids', 'assignee_id'),
    mutuallyExclusive('epic_id', 'epic_iid'),
    atLeastOne(...Object.keys(updateIssueParams)),
  ],
  errors: {
    invalid: INVALID,
    epicNotFound: NOT_FOUND,
    epicUnreadable: FORBIDDEN,
    archived: FORBIDDEN,
    notFound: NOT_FOUND,
  },
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
  write: (uow, { project, issue, params }) => updateIssueWithQuickActions(uow, project, issue.iid, params),
});

export const deleteIssue = endpoint({
  delete: '/projects/:id/issues/:issue_iid',
  summary: 'Delete an issue',
  description:
    'Deletes the issue with its notes, links, events and to-dos. Planners and Owners may delete issues. With `If-Unmodified-Since`, answers 412 if the issue has changed.',
  access: issueAccessWithAbility('delete_issue', issueNotFound).resource(ifUnmodifiedResource),
  lastModified: ({ issue }) => issue.updated_at,
  errors: { notFound: [404, '404 Issue Not Found'], changed: [412, '412 Precondition Failed'] },
  response: noContent,
  write: (uow, { issue, ifUnmodified }) => deleteIssuable(uow, ISSUES, issue, ifUnmodified.isRequested),
});

export * from './actions/endpoints.ts';
export * from './listing/endpoints.ts';
