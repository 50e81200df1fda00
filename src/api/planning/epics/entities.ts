import { Type } from 'typebox';
import { loadUsersById, UserBasic } from '#api/identity/users/index.ts';
import type { Epic as EpicRow, ListedEpic } from '#authorization/epics.ts';
import { loadNamespacePaths } from '#domain/namespaces/routes.ts';
import { requireRow } from '#domain/row-deleted.ts';
import { entity, type SerializationContext } from '#http/endpoint/entity.ts';
import { date, dateTime, nullable, shape } from '#http/endpoint/responses.ts';
import { EPICS, findSubscribedIds, listLabelsSchema, loadLabels, loadListRelations } from '../issuables/index.ts';
import { textColorFor } from '../labels/index.ts';
import { loadInheritedDates, loadVisibleParents } from './store.ts';

/** Entities of an epic (contract/planning.md §1 "Epic"). */

const text = Type.String();
const integer = Type.Integer();
const flag = Type.Boolean();

const fields = {
  id: integer,
  work_item_id: integer,
  iid: integer,
  color: text,
  text_color: text,
  group_id: integer,
  parent_id: nullable(integer),
  parent_iid: nullable(integer),
  imported: flag,
  imported_from: text,
  title: text,
  description: nullable(text),
  confidential: flag,
  author: UserBasic.schema,
  start_date: nullable(date),
  start_date_is_fixed: flag,
  start_date_fixed: nullable(date),
  start_date_from_inherited_source: nullable(date),
  start_date_from_milestones: nullable(date),
  end_date: nullable(date),
  due_date: nullable(date),
  due_date_is_fixed: flag,
  due_date_fixed: nullable(date),
  due_date_from_inherited_source: nullable(date),
  due_date_from_milestones: nullable(date),
  state: Type.Enum(['opened', 'closed']),
  web_edit_url: text,
  web_url: text,
  references: shape('EpicReferences', { short: text, relative: text, full: text }),
  created_at: dateTime,
  updated_at: dateTime,
  closed_at: nullable(dateTime),
  labels: Type.Array(text),
  upvotes: integer,
  downvotes: integer,
  _links: shape('EpicLinks', { self: text, epic_issues: text, group: text, parent: nullable(text) }),
};

/** Loads the related data of serialized epics. */
async function loadEpicRelations(epics: readonly ListedEpic[], { db, caller }: SerializationContext) {
  const ids = epics.map(({ id }) => id);
  const parents = await loadVisibleParents(db, caller, epics);
  const [users, paths, labelsById, dates] = await Promise.all([
    loadUsersById(
      db,
      epics.map(({ author_id }) => author_id),
    ),
    loadNamespacePaths(
      db,
      epics.map(({ group_id }) => group_id),
    ),
    loadLabels(db, EPICS, ids),
    loadInheritedDates(db, ids),
  ]);
  return { users, paths, parents, dates, labelsById: Map.groupBy(labelsById, ({ thing_id }) => thing_id) };
}

type EpicRelations = Awaited<ReturnType<typeof loadEpicRelations>>;

/** Returns the dates: either both fixed dates, or both dates from the milestones of the issues. */
function serializeDates(epic: EpicRow, { dates }: EpicRelations) {
  const { start, due } = dates.get(epic.id) ?? { start: null, due: null };
  const [first, last] = epic.dates_are_fixed ? [epic.start_date_fixed, epic.due_date_fixed] : [start, due];
  return {
    start_date: first,
    start_date_is_fixed: epic.dates_are_fixed,
    start_date_fixed: epic.start_date_fixed,
    start_date_from_inherited_source: start,
    start_date_from_milestones: start,
    end_date: last,
    due_date: last,
    due_date_is_fixed: epic.dates_are_fixed,
    due_date_fixed: epic.due_date_fixed,
    due_date_from_inherited_source: due,
    due_date_from_milestones: due,
  };
}

/** Returns the references: short in the epic's group, full elsewhere. */
function epicReferences(iid: number, path: string, isOwn: boolean) {
  const [short, fullReference] = [`&${iid}`, `${path}&${iid}`];
  return { short, relative: isOwn ? short : fullReference, full: fullReference };
}

function serializeEpic(epic: EpicRow, context: SerializationContext, relations: EpicRelations) {
  const { users, paths, parents, labelsById } = relations;
  const path = requireRow(paths.get(epic.group_id));
  const parent = parents.get(epic.parent_id ?? 0) ?? null;
  const at = ({ group_id, iid }: Pick<EpicRow, 'group_id' | 'iid'>) =>
    `${context.url}/api/v4/groups/${group_id}/epics/${iid}`;
  return {
    id: epic.id,
    work_item_id: epic.id,
    iid: epic.iid,
    color: epic.color,
    text_color: textColorFor(epic.color),
    group_id: epic.group_id,
    parent_id: parent?.id ?? null,
    parent_iid: parent?.iid ?? null,
    imported: epic.imported_from !== 'none',
    imported_from: epic.imported_from,
    title: epic.title,
    description: epic.description,
    confidential: epic.confidential,
    author: UserBasic.serialize(requireRow(users.get(epic.author_id)), context),
    ...serializeDates(epic, relations),
    state: epic.state,
    web_edit_url: `/groups/${path}/-/epics/${epic.iid}`,
    web_url: `${context.url}/groups/${path}/-/epics/${epic.iid}`,
    references: epicReferences(epic.iid, path, true),
    created_at: epic.created_at,
    updated_at: epic.updated_at,
    closed_at: epic.closed_at,
    labels: (labelsById.get(epic.id) ?? []).map(({ title }) => title),
    upvotes: epic.upvotes,
    downvotes: epic.downvotes,
    _links: {
      self: at(epic),
      epic_issues: `${at(epic)}/issues`,
      group: `${context.url}/api/v4/groups/${epic.group_id}`,
      parent: parent && at(parent),
    },
  };
}

/** An epic in responses to create and update. */
export const Epic = entity('Epic', fields).from(loadEpicRelations, (epic: EpicRow, to, relations) =>
  serializeEpic(epic, to, relations),
);

/** A single epic. */
export const EpicDetails = entity('EpicAlone', { ...fields, subscribed: flag }).from(
  async (epics: readonly EpicRow[], to) => ({
    relations: await loadEpicRelations(epics, to),
    subscribed: await findSubscribedIds(to.db, EPICS, to.caller, epics),
  }),
  (epic, to, { relations, subscribed }) => ({
    ...serializeEpic(epic, to, relations),
    subscribed: subscribed.has(epic.id),
  }),
);

/** An epic next to one of its issues. */
export const EpicOfIssue = entity('EpicOfIssue', { ...fields, reference: text }).from(
  loadEpicRelations,
  (epic: EpicRow, to, relations) => {
    const serialized = serializeEpic(epic, to, relations);
    return { ...serialized, reference: serialized.references.full };
  },
);

/** The row of a list item. */
export interface EpicListRow extends ListedEpic {
  /** References are relative to this group, whose list it is. */
  readonly referenceContext: number;
}

/** An epic in a list. */
export const EpicInList = entity('EpicInList', { ...fields, labels: listLabelsSchema }).from(
  async (epics: readonly EpicListRow[], to) => {
    const relations = await loadEpicRelations(epics, to);
    return { relations, listRelations: await loadListRelations(EPICS, epics, relations.labelsById, to) };
  },
  (epic, to, { relations, listRelations }) => ({
    ...serializeEpic({ ...epic, description: listRelations.description(epic.id) }, to, relations),
    references: epicReferences(
      epic.iid,
      requireRow(relations.paths.get(epic.group_id)),
      epic.group_id === epic.referenceContext,
    ),
    labels: listRelations.labels(epic.id),
  }),
);
