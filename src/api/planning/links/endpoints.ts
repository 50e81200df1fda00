import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, list, ok } from '#http/endpoint/responses.ts';
import { NOT_FOUND } from '#http/errors/error-messages.ts';
import { optional } from '#http/parameters/declarations.ts';
import { oneOf } from '#http/parameters/types.ts';
import { endingLink, linkedIssue, linking, readingLink } from './access.ts';
import { IssueLink, LinkedIssue } from './entities.ts';
import { linkIssues, unlinkIssues } from './link.ts';
import { listLinked } from './store.ts';

const LINKS = '/projects/:id/issues/:issue_iid/links';

/** Who links an issue does so after others. */
const turnOf = (issue: { readonly id: number }) => `links of issue ${issue.id}`;

export const listIssueLinks = endpoint({
  get: LINKS,
  summary: 'List the issues that an issue is linked to',
  access: linkedIssue(),
  response: list(LinkedIssue),
  read: (db, { issue, project, caller }) => listLinked(db, caller, { issue, project }),
});

export const readIssueLink = endpoint({
  get: `${LINKS}/:issue_link_id`,
  summary: 'One link of an issue',
  access: readingLink(),
  response: ok(IssueLink),
  read: (_db, { issue, project, found: { link, other } }) => ({ link, here: { issue, project }, there: other }),
});

export const createIssueLink = endpoint({
  post: LINKS,
  summary: 'Link an issue to another one',
  access: linking(),
  params: { link_type: optional(oneOf('relates_to', 'blocks', 'is_blocked_by'), 'relates_to') },
  lock: ({ issue, target }) => [...new Set([turnOf(issue), turnOf(target.issue)])],
  errors: {
    noLicense: [403, 'Blocked issues not available for current license'],
    assigned: [409, 'Issue(s) already assigned'],
    forbidden: [403, "Couldn't link issues. You must have at least the Guest role in both projects."],
    itself: [422, '#{iid} cannot be added: cannot be related to itself'],
    tooMany: [422, '#{iid} cannot be added: This issue would exceed the maximum number of linked issues (100).'],
  },
  activity: ['note link', 'note backlink'],
  response: created(IssueLink),
  write: (uow, { issue, project, target, params }) => linkIssues(uow, [{ issue, project }, target], params.link_type),
});

export const deleteIssueLink = endpoint({
  delete: `${LINKS}/:issue_link_id`,
  summary: 'End a link of an issue',
  access: endingLink(),
  errors: { noLink: [404, 'No Issue Link found'], gone: NOT_FOUND },
  activity: ['note link', 'note backlink'],
  response: ok(IssueLink),
  write: (uow, { issue, project, found: { link, other } }) => unlinkIssues(uow, link, [{ issue, project }, other]),
});
