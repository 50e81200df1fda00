import { Type } from 'typebox';
import { UserBasic, usersById } from '#api/identity/users/index.ts';
import type { Epic as EpicRow, ListedEpic } from '#authorization/epics.ts';
import { namespacePaths } from '#domain/namespaces/routes.ts';
import { stillThere } from '#domain/row-deleted.ts';
import { entity, type SerializationContext } from '#http/endpoint/entity.ts';
import { date, dateTime, nullable, shape } from '#http/endpoint/responses.ts';
import { besideListed, EPICS, isSubscribedTo, labelsInList, labelsOn } from '../issuables/index.ts';
import { textColorOn } from '../labels/index.ts';
import { inheritedDates, parentsSeenBy } from './store.ts';

/** The forms of an epic (contract/planning.md §1 "Epic"). */

const text = Type.String();
const count = Type.Integer();
const flag = Type.Boolean();

const fields = {
  id: count,
  work_item_id: count,
  iid: count,
  color: text,
  text_color: text,
  group_id: count,
  parent_id: nullable(count),
  parent_iid: nullable(count),
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
  upvotes: count,
  downvotes: count,
  _links: shape('EpicLinks', { self: text, epic_issues: text, group: text, parent: nullable(text) }),
};

/** What epics need beside their rows, for all of them at once. */
async function beside(epics: readonly ListedEpic[], { db, caller }: SerializationContext) {
  const ids = epics.map(({ id }) => id);
  const parents = await parentsSeenBy(db, caller, epics);
  const [users, paths, labelled, dates] = await Promise.all([
    usersById(
      db,
      epics.map(({ author_id }) => author_id),
    ),
    namespacePaths(
      db,
      epics.map(({ group_id }) => group_id),
    ),
    labelsOn(db, EPICS, ids),
    inheritedDates(db, ids),
  ]);
  return { users, paths, parents, dates, labelled: Map.groupBy(labelled, ({ thing_id }) => thing_id) };
}

type Beside = Awaited<ReturnType<typeof beside>>;

/** Fixed dates go before those of the milestones of its issues, both or neither. */
function datesOf(epic: EpicRow, { dates }: Beside) {
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

/** How an epic is referred to: shortly in its own group, wholly elsewhere. */
function referencesTo(iid: number, path: string, isOwn: boolean) {
  const [short, full] = [`&${iid}`, `${path}&${iid}`];
  return { short, relative: isOwn ? short : full, full };
}

function epicShape(epic: EpicRow, to: SerializationContext, loaded: Beside) {
  const { users, paths, parents, labelled } = loaded;
  const path = stillThere(paths.get(epic.group_id));
  const parent = parents.get(epic.parent_id ?? 0) ?? null;
  const at = ({ group_id, iid }: Pick<EpicRow, 'group_id' | 'iid'>) =>
    `${to.url}/api/v4/groups/${group_id}/epics/${iid}`;
  return {
    id: epic.id,
    work_item_id: epic.id,
    iid: epic.iid,
    color: epic.color,
    text_color: textColorOn(epic.color),
    group_id: epic.group_id,
    parent_id: parent?.id ?? null,
    parent_iid: parent?.iid ?? null,
    imported: epic.imported_from !== 'none',
    imported_from: epic.imported_from,
    title: epic.title,
    description: epic.description,
    confidential: epic.confidential,
    author: UserBasic.serialize(stillThere(users.get(epic.author_id)), to),
    ...datesOf(epic, loaded),
    state: epic.state,
    web_edit_url: `/groups/${path}/-/epics/${epic.iid}`,
    web_url: `${to.url}/groups/${path}/-/epics/${epic.iid}`,
    references: referencesTo(epic.iid, path, true),
    created_at: epic.created_at,
    updated_at: epic.updated_at,
    closed_at: epic.closed_at,
    labels: (labelled.get(epic.id) ?? []).map(({ title }) => title),
    upvotes: epic.upvotes,
    downvotes: epic.downvotes,
    _links: {
      self: at(epic),
      epic_issues: `${at(epic)}/issues`,
      group: `${to.url}/api/v4/groups/${epic.group_id}`,
      parent: parent && at(parent),
    },
  };
}

/** One epic, as the caller has made or changed it. */
export const Epic = entity('Epic', fields).from(beside, (epic: EpicRow, to, loaded) => epicShape(epic, to, loaded));

/** One that he reads. */
export const EpicAlone = entity('EpicAlone', { ...fields, subscribed: flag }).from(
  async (epics: readonly EpicRow[], to) => ({
    beside: await beside(epics, to),
    subscribed: await isSubscribedTo(to.db, EPICS, to.caller, epics),
  }),
  (epic, to, { beside: loaded, subscribed }) => ({
    ...epicShape(epic, to, loaded),
    subscribed: subscribed.has(epic.id),
  }),
);

/** One beside an issue that is in it. */
export const EpicOfIssue = entity('EpicOfIssue', { ...fields, reference: text }).from(
  beside,
  (epic: EpicRow, to, loaded) => {
    const shown = epicShape(epic, to, loaded);
    return { ...shown, reference: shown.references.full };
  },
);

/** An epic of a list. */
export interface EpicListed extends ListedEpic {
  /** The group whose list it is in: references are relative to it. */
  readonly seenFrom: number;
}

/** One among others. */
export const EpicInList = entity('EpicInList', { ...fields, labels: labelsInList }).from(
  async (epics: readonly EpicListed[], to) => {
    const loaded = await beside(epics, to);
    return { loaded, listed: await besideListed(EPICS, epics, loaded.labelled, to) };
  },
  (epic, to, { loaded, listed }) => ({
    ...epicShape({ ...epic, description: listed.description(epic.id) }, to, loaded),
    references: referencesTo(epic.iid, stillThere(loaded.paths.get(epic.group_id)), epic.group_id === epic.seenFrom),
    labels: listed.labels(epic.id),
  }),
);
