import { Type } from 'typebox';
import type { Epic } from '#authorization/epics.ts';
import type { Issue as IssueRow } from '#authorization/issues.ts';
import { entity } from '#http/endpoint/entity.ts';
import { type EpicIssueAssociation, EpicOfIssue } from '../epics/index.ts';
import { findSubscribedIds, ISSUES } from '../issuables/index.ts';
import { Issue, IssueInList, type IssueListRow } from '../issues/index.ts';
import type { EpicIssueListRow } from './store.ts';

// Entities of epic issues (contract/planning.md §1 "EpicIssue", "EpicIssueLink").

const positionFields = {
  epic_issue_id: Type.Integer({ description: 'ID of the association of the issue with the epic.' }),
  relative_position: Type.Integer({ description: 'Rank in the manual order; less comes first.' }),
};

/** The row of an epic's issue. */
type EpicIssueRow = IssueListRow & Pick<EpicIssueListRow, 'association'>;

const toPositionFields = ({ association: { id, relative_position } }: EpicIssueRow) => ({
  epic_issue_id: id,
  relative_position,
});

/** An issue in the list of its epic. */
export const EpicIssue = entity('EpicIssue', { ...IssueInList.schema.properties, ...positionFields }).from(
  async (rows: readonly EpicIssueRow[], context) => mapByRow(rows, await IssueInList.serializeAll(rows, context)),
  (row, _context, issuesByRow) => ({ ...issuesByRow.get(row)!, ...toPositionFields(row) }),
);

/** An issue of an epic in the response to a reordering. */
export const EpicIssueMoved = entity('EpicIssueMoved', {
  ...EpicIssue.schema.properties,
  subscribed: Type.Boolean(),
}).from(
  async (rows: readonly EpicIssueRow[], context) => ({
    issuesByRow: mapByRow(rows, await EpicIssue.serializeAll(rows, context)),
    subscribedIds: await findSubscribedIds(context.db, ISSUES, context.caller, rows),
  }),
  (row, _context, { issuesByRow, subscribedIds }) => ({
    ...issuesByRow.get(row)!,
    subscribed: subscribedIds.has(row.id),
  }),
);

/** Maps each row to its serialized form, which has the same index. */
function mapByRow<Row, Shape>(rows: readonly Row[], serializedRows: readonly Shape[]): ReadonlyMap<Row, Shape> {
  return new Map(rows.map((row, index) => [row, serializedRows[index]!]));
}

/** An association that was created or deleted. The epic and issue are as the unit of work left them. */
export interface EpicIssueLinkRow {
  readonly association: EpicIssueAssociation;
  readonly epic: Epic;
  readonly issue: IssueRow;
}

/** An epic and an issue that was added to it or removed from it. */
export const EpicIssueLink = entity('EpicIssueLink', {
  id: Type.Integer({ description: 'ID of the association.' }),
  relative_position: positionFields.relative_position,
  epic: EpicOfIssue.schema,
  issue: Issue.schema,
}).from(
  async (rows: readonly EpicIssueLinkRow[], context) => {
    const issues = rows.map(({ issue }) => issue);
    const epics = rows.map(({ epic }) => epic);
    return {
      issuesByRow: mapByRow(issues, await Issue.serializeAll(issues, context)),
      epicsByRow: mapByRow(epics, await EpicOfIssue.serializeAll(epics, context)),
    };
  },
  ({ association, epic: epicRow, issue: issueRow }, _context, { issuesByRow, epicsByRow }) => {
    const [epic, issue] = [epicsByRow.get(epicRow)!, issuesByRow.get(issueRow)!];
    const { id, iid, title, group_id, web_edit_url: url } = epic;
    // The issue shows its former epic even after it was removed from it.
    const epicFields = issue.epic_iid === undefined ? {} : { epic_iid: iid, epic: { id, iid, title, url, group_id } };
    const { relative_position } = association;
    return { id: association.id, relative_position, epic, issue: { ...issue, ...epicFields } };
  },
);
