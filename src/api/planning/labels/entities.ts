import { Type } from 'typebox';
import { nullable } from '../../../http/endpoint/answers.ts';
import { entity } from '../../../http/endpoint/entity.ts';
import { textColorOn } from './color.ts';
import type { LabelBasicRow, LabelRow } from './store.ts';

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

const labelFields = { ...basicFields, subscribed: Type.Boolean() };

/** contract/planning.md §1 "Label" */
export const Label = entity('Label', labelFields).from((row: LabelRow, to) => ({
  ...LabelBasic.one(row, to),
  subscribed: false,
}));

/** A label below a project, be it the project's own or that of a group above. */
export const ProjectLabel = entity('ProjectLabel', {
  ...labelFields,
  priority: nullable(Type.Integer()),
  is_project_label: Type.Boolean(),
}).from((row: LabelRow, to) => ({
  ...Label.one(row, to),
  priority: row.priority,
  is_project_label: row.project_id !== null,
}));
