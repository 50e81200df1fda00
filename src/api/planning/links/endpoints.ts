import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, list, ok } from '#http/endpoint/responses.ts';
import { NOT_FOUND } from '#http/errors/error-messages.ts';
import { optional } from '#http/parameters/declarations.ts';
import { oneOf } from '#http/parameters/types.ts';
import { createLink, deleteLink, issueLinksLockKey, listLinkedIssues } from '../link-rows/index.ts';
import { deleteLinkAccess, linkCreationAccess, linkedIssueAccess, readableLinkAccess } from './access.ts';
import { IssueLink, LinkedIssue } from './entities.ts';

const LINKS = '/projects/:id/issues/:issue_iid/links';

export const listIssueLinks = endpoint({
  get: LINKS,
  summary: 'List the linked issues of an issue',
  access: linkedIssueAccess(),
  response: list(LinkedIssue),
  read: (db, { issue, project, caller }) => listLinkedIssues(db, caller, { issue, project }),
});

export const getIssueLink = endpoint({
  get: `${LINKS}/:issue_link_id`,
  summary: 'Get an issue link',
  access: readableLinkAccess(),
  response: ok(IssueLink),
  read: (_db, { issue, project, linkWithOtherIssue: { link, other } }) => ({
    link,
    pathIssue: { issue, project },
    otherIssue: other,
  }),
});

export const createIssueLink = endpoint({
  post: LINKS,
  summary: 'Create an issue link',
  access: linkCreationAccess(),
  params: { link_type: optional(oneOf('relates_to', 'blocks', 'is_blocked_by'), 'relates_to') },
  lock: ({ issue, target }) => [...new Set([issueLinksLockKey(issue), issueLinksLockKey(target.issue)])],
  errors: {
    noLicense: [403, 'Blocked issues not available for current license'],
    alreadyLinked: [409, 'Issue(s) already assigned'],
    linkForbidden: [403, "Couldn't link issues. You must have at least the Guest role in both projects."],
    sameIssue: [422, '#{iid} cannot be added: cannot be related to itself'],
    tooManyLinks: [422, '#{iid} cannot be added: This issue would exceed the maximum number of linked issues (100).'],
  },
  activity: ['note link', 'note backlink'],
  response: created(IssueLink),
  write: (uow, { issue, project, target, params }) => createLink(uow, [{ issue, project }, target], params.link_type),
});

export const deleteIssueLink = endpoint({
  delete: `${LINKS}/:issue_link_id`,
  summary: 'Delete an issue link',
  access: deleteLinkAccess(),
  errors: { unlinkForbidden: [404, 'No Issue Link found'], notFound: NOT_FOUND },
  activity: ['note link', 'note backlink'],
  response: ok(IssueLink),
  write: (uow, { issue, project, linkWithOtherIssue: { link, other } }) =>
    deleteLink(uow, link, [{ issue, project }, other]),
});
