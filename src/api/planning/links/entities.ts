import { Type } from 'typebox';
import { entity } from '#http/endpoint/entity.ts';
import { dateTime } from '#http/endpoint/responses.ts';
import { IssueInList } from '../issues/index.ts';
import { getReferenceContext, type IssueLinkEnds, type LinkedIssueRow } from '../link-rows/index.ts';

/** A linked issue, with the link as seen from the other issue (contract/planning.md §1 "LinkedIssue"). */
export const LinkedIssue = entity('LinkedIssue', {
  ...IssueInList.schema.properties,
  issue_link_id: Type.Integer(),
  link_type: Type.Enum(['relates_to', 'blocks', 'is_blocked_by']),
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

/** contract/planning.md §1 "IssueLink" */
export const IssueLink = entity('IssueLink', {
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
