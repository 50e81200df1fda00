import { type Expression, type ExpressionBuilder, expressionBuilder, type Selectable, type SqlBool } from 'kysely';
import { type Caller, isAdministrator } from '#authentication/caller.ts';
import type { Reader, Schema } from '#database/database.ts';
import { type Params, prepare, prepareForIds, sortByIds } from '#database/prepare.ts';
import { PLANNER } from '#domain/members/roles.ts';
import { canSeeGroup, findGroup, type Group } from '#domain/namespaces/groups.ts';
import { mayInGroup } from './abilities.ts';
import { groupVisibleTo, groupWithRole } from './visibility.ts';

// Who may see an epic (contract/planning.md §0 "Seeing things"): anyone who can see its group; a confidential one only
// members who are at least Planner. Each rule has two forms: for a row, and as a condition for lists.

/** An epic without its search columns. */
export type Epic = Omit<Selectable<Schema['epics']>, 'title_key' | 'description_key'>;

/** An epic in a list, without its description. */
export type ListedEpic = Omit<Epic, 'description'>;

const listedColumns = [
  'epics.id',
  'epics.group_id',
  'epics.iid',
  'epics.title',
  'epics.author_id',
  'epics.state',
  'epics.closed_at',
  'epics.closed_by_id',
  'epics.confidential',
  'epics.color',
  'epics.parent_id',
  'epics.dates_are_fixed',
  'epics.start_date_fixed',
  'epics.due_date_fixed',
  'epics.task_count',
  'epics.completed_task_count',
  'epics.user_notes_count',
  'epics.upvotes',
  'epics.downvotes',
  'epics.imported_from',
  'epics.created_at',
  'epics.updated_at',
] as const;

const epicColumns = [...listedColumns, 'epics.description'] as const;

// index: epics_by_iid
const findEpicRow = prepare((db, value: Params<{ group: number; iid: number }>) =>
  db
    .selectFrom('epics')
    .select(epicColumns)
    .where('epics.group_id', '=', value('group'))
    .where('epics.iid', '=', value('iid')),
);

// index: epics primary key
const loadEpicRows = prepareForIds<Epic>((db, ids) =>
  db.selectFrom('epics').select(epicColumns).where('epics.id', 'in', ids),
);

// index: epics primary key
const loadListedEpicRows = prepareForIds<ListedEpic>((db, ids) =>
  db.selectFrom('epics').select(listedColumns).where('epics.id', 'in', ids),
);

/** Returns the epic with this iid in the group itself, or null. Does not check visibility. */
export async function findEpic(db: Reader, groupId: number, iid: number): Promise<Epic | null> {
  return (await findEpicRow.first(db, { group: groupId, iid })) ?? null;
}

/** Returns the existing epics in the order of `ids`, with one query. */
export async function findEpics(db: Reader, ids: readonly number[]): Promise<Epic[]> {
  return sortByIds(ids, await loadEpicRows(db, ids));
}

/** Returns the existing epics in the order of `ids`, without descriptions, for lists. */
export async function findEpicsForList(db: Reader, ids: readonly number[]): Promise<ListedEpic[]> {
  return sortByIds(ids, await loadListedEpicRows(db, ids));
}

/** An epic with its group as the viewer sees it. */
export interface EpicInGroup {
  readonly epic: Epic;
  readonly group: Group;
}

/**
 * Returns the epic with this id if it is in the group or below it; null if not, or if the caller cannot see its group.
 * index: namespace_closure_pkey
 */
export async function findDescendantEpic(
  db: Reader,
  caller: Caller,
  { id: groupId }: Pick<Group, 'id'>,
  id: number,
): Promise<EpicInGroup | null> {
  const [epic] = await findEpics(db, [id]);
  if (epic === undefined) return null;
  const closureRow = await db
    .selectFrom('namespace_closure')
    .select('depth')
    .where('descendant_id', '=', epic.group_id)
    .where('ancestor_id', '=', groupId)
    .executeTakeFirst();
  const group = closureRow && (await findGroup(db, caller, String(epic.group_id)));
  return group && canSeeGroup(caller, group) ? { epic, group } : null;
}

/** Returns whether the caller, who can see the group, may read the epic. */
export function mayReadEpic(caller: Caller, group: Group, { confidential }: Pick<Epic, 'confidential'>): boolean {
  return mayInGroup(caller, confidential ? 'read_confidential_epic' : 'read_epic', group);
}

/** Returns the epic with its group: null if there is none, false if the caller may not read it. */
export async function findReadableEpic(db: Reader, caller: Caller, id: number): Promise<EpicInGroup | false | null> {
  const [epic] = await findEpics(db, [id]);
  const group = epic && (await findGroup(db, caller, String(epic.group_id)));
  if (!group) return null;
  return canSeeGroup(caller, group) && mayReadEpic(caller, group, epic) ? { epic, group } : false;
}

type EpicExpressionBuilder = ExpressionBuilder<Schema, 'epics' | 'namespaces'>;

/**
 * Condition on epics joined with their groups: the caller may read the epic. `today`: memberships that end on or before
 * this day do not count.
 */
export function epicVisibleTo(caller: Caller, today: string) {
  return (eb: EpicExpressionBuilder): Expression<SqlBool> => {
    if (isAdministrator(caller)) return eb.lit(true);
    const groups = expressionBuilder<Schema, 'namespaces'>();
    const isGroupVisible = groupVisibleTo(caller, today)(groups);
    const isNotConfidential = eb('epics.confidential', '=', false);
    if (caller.user === null) return eb.and([isGroupVisible, isNotConfidential]);
    return eb.and([isGroupVisible, eb.or([isNotConfidential, groupWithRole(caller.user.id, PLANNER, today)(groups)])]);
  };
}

/** Condition on epics of one group that the caller can see: the caller may read the epic. */
export function epicInGroupVisibleTo(caller: Caller, group: Group) {
  return (eb: ExpressionBuilder<Schema, 'epics'>): Expression<SqlBool> =>
    mayInGroup(caller, 'read_confidential_epic', group) ? eb.lit(true) : eb('epics.confidential', '=', false);
}
