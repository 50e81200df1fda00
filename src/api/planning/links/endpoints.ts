import { Type } from 'typebox';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { entity } from '#http/endpoint/entity.ts';
import { created, dateTime, list, ok } from '#http/endpoint/responses.ts';
import { NOT_FOUND } from '#http/errors/error-messages.ts';
import { describe, optional } from '#http/parameters/declarations.ts';
import { oneOf } from '#http/parameters/types.ts';
import { IssueInList } from '../issues/index.ts';
import {
  createLink,
  deleteLink,
  getReferenceContext,
  type IssueLinkEnds,
  issueLinksLockKey,
  type LinkedIssueRow,
  listLinkedIssues,
} from '../link-rows/index.ts';
import { createLinkAccess, deleteLinkAccess, linkedIssueAccess, readLinkAccess } from './access.ts';

/** An issue that is linked to the issue in the path (contract/planning.md §1 "LinkedIssue"). */
const LinkedIssue = entity('LinkedIssue', {
  ...IssueInList.schema.properties,
  issue_link_id: Type.Integer(),
  link_type: Type.Enum(['relates_to', 'blocks', 'is_blocked_by'], {
    description: 'How the issue in the path relates to this one.',
  }),
  link_created_at: dateTime,
  link_updated_at: dateTime,
}).from(
  async (rows: readonly LinkedIssueRow[], context) => {
    const issueJsons = await IssueInList.serializeAll(rows, context);
    return new Map(rows.map((row, index) => [row, issueJsons[index]!]));
  },
  (row, _context, issueJsonByRow) => ({
    ...issueJsonByRow.get(row)!,
    issue_link_id: row.link.id,
    link_type: row.link.link_type === 'blocks' && !row.isSource ? 'is_blocked_by' : row.link.link_type,
    link_created_at: row.link.created_at,
    link_updated_at: row.link.updated_at,
  }),
);

/** A link with both issues (contract/planning.md §1 "IssueLink"). */
const IssueLink = entity('IssueLink', {
  id: Type.Integer(),
  source_issue: IssueInList.schema,
  target_issue: IssueInList.schema,
  link_type: Type.Enum(['relates_to', 'blocks']),
}).from(
  async (rows: readonly IssueLinkEnds[], context) => {
    const issuesToLoad = rows.flatMap(({ pathIssue, otherIssue }) =>
      [pathIssue, otherIssue].map(({ issue }) => ({
        ...issue,
        referenceContext: getReferenceContext(pathIssue.project, issue),
      })),
    );
    const issueJsons = await IssueInList.serializeAll(issuesToLoad, context);
    return new Map(issueJsons.map((issueJson) => [issueJson.id, issueJson]));
  },
  ({ link }, _context, issueJsonById) => ({
    id: link.id,
    source_issue: issueJsonById.get(link.source_id)!,
    target_issue: issueJsonById.get(link.target_id)!,
    link_type: link.link_type,
  }),
);

const LINKS_PATH = '/projects/:id/issues/:issue_iid/links';

export const listIssueLinks = endpoint({
  get: LINKS_PATH,
  summary: 'List the linked issues of an issue',
  description:
    'Lists the linked issues that the caller may read, in the order in which they were linked. The list is not paginated: an issue has at most 100 links.',
  access: linkedIssueAccess(),
  response: list(LinkedIssue),
  read: (db, { issue, project, caller }) => listLinkedIssues(db, caller, { issue, project }),
});

export const getIssueLink = endpoint({
  get: `${LINKS_PATH}/:issue_link_id`,
  summary: 'Get an issue link',
  description: 'Returns a link of the issue with both issues. Answers 404 if the caller may not read the other issue.',
  access: readLinkAccess(),
  response: ok(IssueLink),
  read: (_db, { issue, project, linkWithOtherIssue: { link, other } }) => ({
    link,
    pathIssue: { issue, project },
    otherIssue: other,
  }),
});

export const createIssueLink = endpoint({
  post: LINKS_PATH,
  summary: 'Create an issue link',
  description:
    'Links the issue to another one, and writes a system note on both. The caller must have the ability in both projects. Two issues have at most one link; a second one answers 409. `blocks` and `is_blocked_by` are not available on the free tier.',
  access: createLinkAccess(),
  params: {
    link_type: describe(
      optional(oneOf('relates_to', 'blocks', 'is_blocked_by'), 'relates_to'),
      'How the issue in the path relates to the other. `is_blocked_by` is stored as `blocks` with swapped issues.',
    ),
  },
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
  delete: `${LINKS_PATH}/:issue_link_id`,
  summary: 'Delete an issue link',
  description:
    'Deletes the link, writes a system note on both issues, and returns its former state. Answers 404 if the caller lacks the ability in one of the two projects.',
  access: deleteLinkAccess(),
  errors: { unlinkForbidden: [404, 'No Issue Link found'], notFound: NOT_FOUND },
  activity: ['note link', 'note backlink'],
  response: ok(IssueLink),
  write: (uow, { issue, project, linkWithOtherIssue: { link, other } }) =>
    deleteLink(uow, link, [{ issue, project }, other]),
});
