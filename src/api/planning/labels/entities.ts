import { Type } from 'typebox';
import { mapText, textsOf } from '#database/long-texts.ts';
import { entity, type SerializationContext } from '#http/endpoint/entity.ts';
import { nullable } from '#http/endpoint/responses.ts';
import { textColorOn } from './color.ts';
import { countIssues, countOpenMergeRequests } from './counts.ts';
import type { LabelBasicRow, LabelListed } from './store.ts';
import { labelsSubscribedTo } from './subscriptions.ts';

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

const descriptionsOf = textsOf('labels', 'description');

const described = (labels: readonly LabelBasicRow[], { db }: SerializationContext) =>
  descriptionsOf(
    db,
    labels.map(({ id }) => id),
  );

function basicShape({ id, title, color, archived }: LabelBasicRow, descriptions: ReadonlyMap<number, string | null>) {
  const description = descriptions.get(id) ?? null;
  return {
    id,
    name: title,
    description,
    description_html: description === null ? '' : mapText(description, asHtml),
    text_color: textColorOn(color),
    color,
    archived,
  };
}

/** contract/planning.md §1 "LabelBasic": as issues, merge requests, epics and events show a label. */
export const LabelBasic = entity('LabelBasic', basicFields).from(described, (row: LabelBasicRow, _to, descriptions) =>
  basicShape(row, descriptions),
);

const labelFields = {
  ...basicFields,
  /** With `with_counts`: of what the caller may see, wherever it is. */
  open_issues_count: Type.Optional(Type.Integer()),
  closed_issues_count: Type.Optional(Type.Integer()),
  open_merge_requests_count: Type.Optional(Type.Integer()),
  subscribed: Type.Boolean(),
};

/** What they say of themselves, whether the caller is subscribed, and what bears each of them, if that is asked for. */
async function beside(labels: readonly LabelListed[], to: SerializationContext) {
  const descriptions = await described(labels, to);
  const ids = labels.map(({ id }) => id);
  const subscribed = await labelsSubscribedTo(to.db, to.caller, labels);
  if (to.params.with_counts !== true) return { descriptions, subscribed, counts: null };
  const issues = await countIssues(to.db, to.caller, ids);
  const mergeRequests = await countOpenMergeRequests(to.db, to.caller, ids);
  return { descriptions, subscribed, counts: { issues, mergeRequests } };
}

function labelShape(row: LabelListed, { descriptions, subscribed, counts }: Awaited<ReturnType<typeof beside>>) {
  return {
    ...basicShape(row, descriptions),
    ...(counts && {
      open_issues_count: counts.issues.get(row.id)?.opened ?? 0,
      closed_issues_count: counts.issues.get(row.id)?.closed ?? 0,
      open_merge_requests_count: counts.mergeRequests.get(row.id) ?? 0,
    }),
    subscribed: subscribed.has(row.id),
  };
}

/** contract/planning.md §1 "Label" */
export const Label = entity('Label', labelFields).from(beside, (row: LabelListed, _to, loaded) =>
  labelShape(row, loaded),
);

/** A label below a project, be it the project's own or that of a group above. */
export const ProjectLabel = entity('ProjectLabel', {
  ...labelFields,
  priority: nullable(Type.Integer()),
  is_project_label: Type.Boolean(),
}).from(beside, (row: LabelListed, _to, loaded) => ({
  ...labelShape(row, loaded),
  priority: row.priority,
  is_project_label: row.project_id !== null,
}));
