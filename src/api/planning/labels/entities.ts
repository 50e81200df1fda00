import { Type } from 'typebox';
import { nullable } from '../../../http/endpoint/answers.ts';
import { entity, type Showing } from '../../../http/endpoint/entity.ts';
import { textColorOn } from './color.ts';
import { countIssues, type LabelBasicRow, type LabelRow } from './store.ts';

/** The text as it was written: nothing in it becomes markup. */
const asHtml = (text: string) => text.replace(/[&<>]/g, (character) => ESCAPED[character]!);
const ESCAPED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

const basicFields = {
  id: Type.Integer(),
  name: Type.String(),
  description: nullable(Type.String()),
  description_html: Type.String(),
  text_color: Type.String(),
  color: Type.String(),
  archived: Type.Boolean(),
};

/** contract/planning.md §1 "LabelBasic": as issues, merge requests, epics and events show a label. */
export const LabelBasic = entity('LabelBasic', basicFields).from(
  ({ id, title, description, color, archived }: LabelBasicRow) => ({
    id,
    name: title,
    description,
    description_html: asHtml(description ?? ''),
    text_color: textColorOn(color),
    color,
    archived,
  }),
);

const labelFields = {
  ...basicFields,
  /** With `with_counts`: of what the caller may see, wherever it is. */
  open_issues_count: Type.Optional(Type.Integer()),
  closed_issues_count: Type.Optional(Type.Integer()),
  open_merge_requests_count: Type.Optional(Type.Integer()),
  subscribed: Type.Boolean(),
};

/** What bears each of the labels, if that is asked for. */
async function beside(labels: readonly LabelRow[], { db, caller, params }: Showing) {
  if (params.with_counts !== true) return null;
  const ids = labels.map(({ id }) => id);
  return countIssues(db, caller, ids);
}

function labelShape(row: LabelRow, to: Showing, counts: Awaited<ReturnType<typeof beside>>) {
  return {
    ...LabelBasic.one(row, to),
    ...(counts && {
      open_issues_count: counts.get(row.id)?.opened ?? 0,
      closed_issues_count: counts.get(row.id)?.closed ?? 0,
      open_merge_requests_count: 0,
    }),
    subscribed: false,
  };
}

/** contract/planning.md §1 "Label" */
export const Label = entity('Label', labelFields).from(beside, labelShape);

/** A label below a project, be it the project's own or that of a group above. */
export const ProjectLabel = entity('ProjectLabel', {
  ...labelFields,
  priority: nullable(Type.Integer()),
  is_project_label: Type.Boolean(),
}).from(beside, (row: LabelRow, to, counts) => ({
  ...labelShape(row, to, counts),
  priority: row.priority,
  is_project_label: row.project_id !== null,
}));
