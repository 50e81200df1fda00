import { Type } from 'typebox';
import type { Epic } from '#authorization/epics.ts';
import type { Issue as IssueRow } from '#authorization/issues.ts';
import { entity } from '#http/endpoint/entity.ts';
import { type Association, EpicOfIssue } from '../epics/index.ts';
import { ISSUES, isSubscribedTo } from '../issuables/index.ts';
import { Issue, IssueInList, type IssueListed } from '../issues/index.ts';
import type { IssueOfEpic } from './store.ts';

/** Issues of epics (contract/planning.md §1 "EpicIssue", "EpicIssueLink"). */

const place = {
  epic_issue_id: Type.Integer(),
  relative_position: Type.Integer(),
};

/** Where it stands in the epic. */
type Placed = IssueListed & Pick<IssueOfEpic, 'association'>;

const placeOf = ({ association: { id, relative_position } }: Placed) => ({ epic_issue_id: id, relative_position });

/** One among the others of its epic. */
export const EpicIssue = entity('EpicIssue', { ...IssueInList.schema.properties, ...place }).from(
  async (rows: readonly Placed[], to) => byRow(rows, await IssueInList.serializeAll(rows, to)),
  (row, _to, shown) => ({ ...shown.get(row)!, ...placeOf(row) }),
);

/** The same after its epic was put into another order. */
export const EpicIssueMoved = entity('EpicIssueMoved', {
  ...EpicIssue.schema.properties,
  subscribed: Type.Boolean(),
}).from(
  async (rows: readonly Placed[], to) => ({
    shown: byRow(rows, await EpicIssue.serializeAll(rows, to)),
    subscribed: await isSubscribedTo(to.db, ISSUES, to.caller, rows),
  }),
  (row, _to, { shown, subscribed }) => ({ ...shown.get(row)!, subscribed: subscribed.has(row.id) }),
);

function byRow<Row, Shape>(rows: readonly Row[], shapes: readonly Shape[]): ReadonlyMap<Row, Shape> {
  return new Map(rows.map((row, index) => [row, shapes[index]!]));
}

/** An association, as it is or was, and both its sides as they stood in the act: afterwards somebody may take them away. */
export interface EpicIssueLinkRow {
  readonly association: Association;
  readonly epic: Epic;
  readonly issue: IssueRow;
}

/** An epic and an issue that has come into it, or has left it. */
export const EpicIssueLink = entity('EpicIssueLink', {
  id: Type.Integer(),
  relative_position: Type.Integer(),
  epic: EpicOfIssue.schema,
  issue: Issue.schema,
}).from(
  async (rows: readonly EpicIssueLinkRow[], to) => {
    const issues = rows.map(({ issue }) => issue);
    const epics = rows.map(({ epic }) => epic);
    return {
      issues: byRow(issues, await Issue.serializeAll(issues, to)),
      epics: byRow(epics, await EpicOfIssue.serializeAll(epics, to)),
    };
  },
  ({ association, epic: row, issue: child }, _to, { issues, epics }) => {
    const [epic, issue] = [epics.get(row)!, issues.get(child)!];
    const { id, iid, title, group_id, web_edit_url: url } = epic;
    // As it is beside the epic, also after it has left it.
    const own = issue.epic_iid === undefined ? {} : { epic_iid: iid, epic: { id, iid, title, url, group_id } };
    const { relative_position } = association;
    return { id: association.id, relative_position, epic, issue: { ...issue, ...own } };
  },
);
