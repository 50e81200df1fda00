import { Type } from 'typebox';
import { loadUsersById, UserBasic } from '#api/identity/users/index.ts';
import type { Epic as EpicRow, ListedEpic } from '#authorization/epics.ts';
import { loadNamespacePaths } from '#domain/namespaces/routes.ts';
import { entity, type SerializationContext } from '#http/endpoint/entity.ts';
import { date, dateTime, nullable, objectSchema } from '#http/endpoint/responses.ts';
import { requireRow } from '#runtime/failure.ts';
import { EPICS, findSubscribedIds, listLabelsSchema, loadLabels, loadListRelations } from '../issuables/index.ts';
import { getTextColor } from '../labels/index.ts';
import { loadInheritedDates, loadVisibleParents } from './store.ts';

// Entities of an epic (contract/planning.md §1 "Epic").

const text = Type.String();
const integer = Type.Integer();
const flag = Type.Boolean();

const PARENT_DESCRIPTION = 'The parent epic; null without one, or if the caller may not read it.';

const fields = {
  id: integer,
  work_item_id: Type.Integer({ description: 'Equals `id`.' }),
  iid: integer,
  color: Type.String({ description: '`#RRGGBB`.' }),
  text_color: Type.String({ description: 'A text color that is readable on `color`.' }),
  group_id: integer,
  parent_id: nullable(Type.Integer({ description: PARENT_DESCRIPTION })),
  parent_iid: nullable(Type.Integer({ description: PARENT_DESCRIPTION })),
  imported: flag,
  imported_from: text,
  title: text,
  description: nullable(text),
  confidential: flag,
  author: UserBasic.schema,
  start_date: nullable(date),
  start_date_is_fixed: Type.Boolean({
    description: 'If false, the dates are the earliest start and latest due date of the milestones of its issues.',
  }),
  start_date_fixed: nullable(date),
  start_date_from_inherited_source: nullable(date),
  start_date_from_milestones: nullable(date),
  end_date: nullable(date),
  due_date: nullable(date),
  due_date_is_fixed: Type.Boolean({ description: 'Equals `start_date_is_fixed`.' }),
  due_date_fixed: nullable(date),
  due_date_from_inherited_source: nullable(date),
  due_date_from_milestones: nullable(date),
  state: Type.Enum(['opened', 'closed']),
  web_edit_url: text,
  web_url: text,
  references: objectSchema('EpicReferences', {
    short: text,
    relative: Type.String({ description: 'Short if the epic belongs to the listed group, else full.' }),
    full: text,
  }),
  created_at: dateTime,
  updated_at: dateTime,
  closed_at: nullable(dateTime),
  labels: Type.Array(text),
  upvotes: integer,
  downvotes: integer,
  _links: objectSchema('EpicLinks', { self: text, epic_issues: text, group: text, parent: nullable(text) }),
};

/** Loads the related data of serialized epics. */
async function loadEpicRelations(epics: readonly ListedEpic[], { db, caller }: SerializationContext) {
  const ids = epics.map(({ id }) => id);
  const parentsById = await loadVisibleParents(db, caller, epics);
  const [usersById, pathsByGroupId, labels, datesByEpicId] = await Promise.all([
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
  return {
    usersById,
    pathsByGroupId,
    parentsById,
    datesByEpicId,
    labelsByEpicId: Map.groupBy(labels, ({ issuable_id }) => issuable_id),
  };
}

type EpicRelations = Awaited<ReturnType<typeof loadEpicRelations>>;

/** Serializes the dates. The effective dates are either both fixed, or both inherited from the milestones of the issues. */
function serializeDates(epic: EpicRow, { datesByEpicId }: EpicRelations) {
  const { start: inheritedStart, due: inheritedDue } = datesByEpicId.get(epic.id) ?? { start: null, due: null };
  const [startDate, dueDate] = epic.dates_are_fixed
    ? [epic.start_date_fixed, epic.due_date_fixed]
    : [inheritedStart, inheritedDue];
  return {
    start_date: startDate,
    start_date_is_fixed: epic.dates_are_fixed,
    start_date_fixed: epic.start_date_fixed,
    start_date_from_inherited_source: inheritedStart,
    start_date_from_milestones: inheritedStart,
    end_date: dueDate,
    due_date: dueDate,
    due_date_is_fixed: epic.dates_are_fixed,
    due_date_fixed: epic.due_date_fixed,
    due_date_from_inherited_source: inheritedDue,
    due_date_from_milestones: inheritedDue,
  };
}

/** Serializes the references. `relative` is short inside the epic's group and full elsewhere. */
function serializeReferences(iid: number, path: string, isInEpicGroup: boolean) {
  const [short, fullReference] = [`&${iid}`, `${path}&${iid}`];
  return { short, relative: isInEpicGroup ? short : fullReference, full: fullReference };
}

function serializeEpic(epic: EpicRow, context: SerializationContext, relations: EpicRelations) {
  const { usersById, pathsByGroupId, parentsById, labelsByEpicId } = relations;
  const path = requireRow(pathsByGroupId.get(epic.group_id));
  const parent = parentsById.get(epic.parent_id ?? 0) ?? null;
  const toApiUrl = ({ group_id, iid }: Pick<EpicRow, 'group_id' | 'iid'>) =>
    `${context.url}/api/v4/groups/${group_id}/epics/${iid}`;
  return {
    id: epic.id,
    work_item_id: epic.id,
    iid: epic.iid,
    color: epic.color,
    text_color: getTextColor(epic.color),
    group_id: epic.group_id,
    parent_id: parent?.id ?? null,
    parent_iid: parent?.iid ?? null,
    imported: epic.imported_from !== 'none',
    imported_from: epic.imported_from,
    title: epic.title,
    description: epic.description,
    confidential: epic.confidential,
    author: UserBasic.serialize(requireRow(usersById.get(epic.author_id)), context),
    ...serializeDates(epic, relations),
    state: epic.state,
    web_edit_url: `/groups/${path}/-/epics/${epic.iid}`,
    web_url: `${context.url}/groups/${path}/-/epics/${epic.iid}`,
    references: serializeReferences(epic.iid, path, true),
    created_at: epic.created_at,
    updated_at: epic.updated_at,
    closed_at: epic.closed_at,
    labels: (labelsByEpicId.get(epic.id) ?? []).map(({ title }) => title),
    upvotes: epic.upvotes,
    downvotes: epic.downvotes,
    _links: {
      self: toApiUrl(epic),
      epic_issues: `${toApiUrl(epic)}/issues`,
      group: `${context.url}/api/v4/groups/${epic.group_id}`,
      parent: parent && toApiUrl(parent),
    },
  };
}

/** An epic in responses to create and update. */
export const Epic = entity('Epic', fields).from(loadEpicRelations, (epic: EpicRow, context, relations) =>
  serializeEpic(epic, context, relations),
);

/** A single epic. */
export const EpicDetails = entity('EpicDetails', { ...fields, subscribed: flag }).from(
  async (epics: readonly EpicRow[], context) => ({
    relations: await loadEpicRelations(epics, context),
    subscribedIds: await findSubscribedIds(context.db, EPICS, context.caller, epics),
  }),
  (epic, context, { relations, subscribedIds }) => ({
    ...serializeEpic(epic, context, relations),
    subscribed: subscribedIds.has(epic.id),
  }),
);

/** The epic in the response about one of its issues. `reference` is its full reference. */
export const EpicOfIssue = entity('EpicOfIssue', { ...fields, reference: text }).from(
  loadEpicRelations,
  (epic: EpicRow, context, relations) => {
    const epicJson = serializeEpic(epic, context, relations);
    return { ...epicJson, reference: epicJson.references.full };
  },
);

/** The row of a list item. */
export interface EpicListRow extends ListedEpic {
  /** Id of the listed group; references are relative to it. */
  readonly referenceContext: number;
}

/** An epic in a list. */
export const EpicInList = entity('EpicInList', { ...fields, labels: listLabelsSchema }).from(
  async (epics: readonly EpicListRow[], context) => {
    const loading = loadEpicRelations(epics, context);
    const labels = loading.then(({ labelsByEpicId }) => labelsByEpicId);
    const [relations, listRelations] = await Promise.all([loading, loadListRelations(EPICS, epics, labels, context)]);
    return { relations, listRelations };
  },
  (epic, context, { relations, listRelations }) => ({
    ...serializeEpic({ ...epic, description: listRelations.description(epic.id) }, context, relations),
    references: serializeReferences(
      epic.iid,
      requireRow(relations.pathsByGroupId.get(epic.group_id)),
      epic.group_id === epic.referenceContext,
    ),
    labels: listRelations.labels(epic.id),
  }),
);
