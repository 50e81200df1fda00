import { Type } from 'typebox';
import { createTextLoader, mapLazyText } from '#database/long-texts.ts';
import { entity, type SerializationContext } from '#http/endpoint/entity.ts';
import { nullable } from '#http/endpoint/responses.ts';
import { findSubscribedLabelIds } from './changes.ts';
import { getTextColor } from './color.ts';
import { countVisibleIssues, countVisibleOpenMergeRequests } from './counts.ts';
import type { LabelBasicRow, LabelListRow } from './store.ts';

/** Escapes a description for HTML. Markdown in it is not rendered. */
const escapeHtml = (text: string) => text.replace(/[&<>]/g, (character) => HTML_ENTITIES[character]!);
const HTML_ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

const basicFields = {
  id: Type.Integer(),
  name: Type.String(),
  description: nullable(Type.String()),
  description_html: Type.String({ description: 'The description, escaped for HTML. Markdown is not rendered.' }),
  text_color: Type.String({ description: 'A text color that is readable on `color`.' }),
  color: Type.String({ description: 'Background color, `#RRGGBB`.' }),
  archived: Type.Boolean(),
};

const loadDescriptionTexts = createTextLoader('labels', 'description');

const loadDescriptions = (labels: readonly LabelBasicRow[], { db }: SerializationContext) =>
  loadDescriptionTexts(
    db,
    labels.map(({ id }) => id),
  );

function toBasicJson({ id, title, color, archived }: LabelBasicRow, descriptions: ReadonlyMap<number, string | null>) {
  const description = descriptions.get(id) ?? null;
  return {
    id,
    name: title,
    description,
    description_html: description === null ? '' : mapLazyText(description, escapeHtml),
    text_color: getTextColor(color),
    color,
    archived,
  };
}

/** A label in issues, merge requests, epics and events (contract/planning.md §1 "LabelBasic"). */
export const LabelBasic = entity('LabelBasic', basicFields).from(
  loadDescriptions,
  (row: LabelBasicRow, _context, descriptions) => toBasicJson(row, descriptions),
);

const labelFields = {
  ...basicFields,
  // The counts include the issues and merge requests of all projects that the caller may read.
  open_issues_count: Type.Optional(Type.Integer({ description: 'Present with `with_counts`.' })),
  closed_issues_count: Type.Optional(Type.Integer({ description: 'Present with `with_counts`.' })),
  open_merge_requests_count: Type.Optional(Type.Integer({ description: 'Present with `with_counts`.' })),
  subscribed: Type.Boolean({ description: 'Whether the caller is subscribed, in this project or everywhere.' }),
};

/** Loads descriptions, the caller's subscriptions and, with `with_counts`, the counts. */
async function loadRelations(labels: readonly LabelListRow[], context: SerializationContext) {
  const descriptions = await loadDescriptions(labels, context);
  const ids = labels.map(({ id }) => id);
  const subscribedIds = await findSubscribedLabelIds(context.db, context.caller, labels);
  if (context.params.with_counts !== true) return { descriptions, subscribedIds, counts: null };
  const issueCounts = await countVisibleIssues(context.db, context.caller, ids);
  const mergeRequestCounts = await countVisibleOpenMergeRequests(context.db, context.caller, ids);
  return { descriptions, subscribedIds, counts: { issueCounts, mergeRequestCounts } };
}

function toLabelJson(
  row: LabelListRow,
  { descriptions, subscribedIds, counts }: Awaited<ReturnType<typeof loadRelations>>,
) {
  return {
    ...toBasicJson(row, descriptions),
    ...(counts && {
      open_issues_count: counts.issueCounts.get(row.id)?.opened ?? 0,
      closed_issues_count: counts.issueCounts.get(row.id)?.closed ?? 0,
      open_merge_requests_count: counts.mergeRequestCounts.get(row.id) ?? 0,
    }),
    subscribed: subscribedIds.has(row.id),
  };
}

/** A label in responses of a group (contract/planning.md §1 "Label"). */
export const Label = entity('Label', labelFields).from(loadRelations, (row: LabelListRow, _context, relations) =>
  toLabelJson(row, relations),
);

/** A label in responses of a project: its own, or one of an ancestor group. */
export const ProjectLabel = entity('ProjectLabel', {
  ...labelFields,
  priority: nullable(Type.Integer({ description: 'Rank of the label in the project.' })),
  is_project_label: Type.Boolean({ description: 'False for a label of an ancestor group.' }),
}).from(loadRelations, (row: LabelListRow, _context, relations) => ({
  ...toLabelJson(row, relations),
  priority: row.priority,
  is_project_label: row.project_id !== null,
}));
