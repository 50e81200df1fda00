import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { referElsewhere } from '#database/batch-statements.ts';
import type { Reader, Transaction } from '#database/database.ts';
import { isAmong } from '#database/dialect.ts';
import { hasRow } from '#database/has-row.ts';
import { foldCase } from '#database/name-keys.ts';
import { type Page, paged } from '#database/page.ts';
import { prepareForIds } from '#database/prepare.ts';
import { searchWords } from '#database/search/query-words.ts';
import { containingWordsUnindexed } from '#database/search/word-search.ts';
import type { MilestoneState } from '#database/tables/milestones.ts';
import type { Group } from '#domain/namespaces/groups.ts';
import { namespacesInside, projectsInside } from '#domain/namespaces/hierarchy.ts';
import { namespacePaths } from '#domain/namespaces/routes.ts';
import {
  nearestFirst,
  type Owner,
  ownReach,
  type Place,
  type Reach,
  reachOf,
  within,
} from '#domain/namespaces/scope.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';

/** As it is shown: its description is read besides. */
export interface MilestoneBasicRow {
  readonly id: number;
  readonly iid: number;
  readonly project_id: number | null;
  readonly group_id: number | null;
  readonly title: string;
  readonly state: MilestoneState;
  readonly start_date: string | null;
  readonly due_date: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface MilestoneRow extends MilestoneBasicRow {
  readonly description: string | null;
}

const basicColumns = [
  'milestones.id',
  'milestones.iid',
  'milestones.project_id',
  'milestones.group_id',
  'milestones.title',
  'milestones.state',
  'milestones.start_date',
  'milestones.due_date',
  'milestones.created_at',
  'milestones.updated_at',
] as const;

const columns = [...basicColumns, 'milestones.description'] as const;

const listedWithin = (db: Reader, reach: Reach) =>
  db.selectFrom('milestones').select(basicColumns).where(within('milestones', reach));

const milestonesWithin = (db: Reader, reach: Reach) => listedWithin(db, reach).select('milestones.description');

interface MilestoneFilter {
  readonly state?: MilestoneState | 'all' | null | undefined;
  readonly iids?: readonly number[] | null | undefined;
  readonly title?: string | null | undefined;
  readonly search?: string | null | undefined;
  readonly updated_before?: string | null | undefined;
  readonly updated_after?: string | null | undefined;
}

/** One page of milestones: the earliest due first, those without a day last; then by title. */
export function listMilestones(
  db: Reader,
  reach: Reach,
  filter: MilestoneFilter,
  page: OffsetRequest,
): Promise<Page<MilestoneBasicRow>> {
  const found = filtered(db, listedWithin(db, reach), filter)
    .orderBy((eb) => eb.case().when('milestones.due_date', 'is', null).then(1).else(0).end())
    .orderBy('milestones.due_date')
    .orderBy('milestones.title')
    .orderBy('milestones.id');
  return paged(db, found, page);
}

type Milestones = ReturnType<typeof listedWithin>;

function filtered(db: Reader, query: Milestones, filter: MilestoneFilter): Milestones {
  const { state, iids, title, search, updated_before: before, updated_after: after } = filter;
  const conditions: RawBuilder<SqlBool>[] = [];
  if (state && state !== 'all') conditions.push(sql`milestones.state = ${state}`);
  if (iids && iids.length > 0) conditions.push(isAmong(db, sql<number>`milestones.iid`, iids));
  if (title) conditions.push(sql`milestones.title = ${title}`);
  if (search) {
    const words = searchWords(foldCase(search));
    conditions.push(containingWordsUnindexed(db, 'milestones', ['title_key', 'description_key'], words));
  }
  if (before) conditions.push(sql`milestones.updated_at <= ${before}`);
  if (after) conditions.push(sql`milestones.updated_at >= ${after}`);
  return conditions.reduce((all, condition) => all.where(condition), query);
}

/** The milestone with this id, of these places. index: milestones primary key */
export async function findMilestone(db: Reader, reach: Reach, id: number): Promise<MilestoneRow | null> {
  return (await milestonesWithin(db, reach).where('milestones.id', '=', id).executeTakeFirst()) ?? null;
}

/** The milestone with this title, in the nearest place that has one. index: milestones_by_project_title, milestones_by_group_title */
export async function findMilestoneTitled(db: Reader, reach: Reach, title: string): Promise<MilestoneRow | null> {
  const rows = await milestonesWithin(db, reach).where('milestones.title', '=', title).execute();
  return nearestFirst(reach, rows)[0] ?? null;
}

/** Several milestones by their ids, in one statement. */
export async function milestonesById(
  db: Reader,
  ids: readonly (number | null)[],
): Promise<ReadonlyMap<number, MilestoneBasicRow>> {
  const wanted = [...new Set(ids)].filter((id) => id !== null);
  return new Map((await milestonesByIds(db, wanted)).map((row) => [row.id, row]));
}

// index: milestones primary key
const milestonesByIds = prepareForIds<MilestoneBasicRow>((db, ids) =>
  db.selectFrom('milestones').select(basicColumns).where('milestones.id', 'in', ids),
);

/** Where milestones are: the full paths of their projects and groups. index: routes_by_project, routes_by_namespace */
export async function pathsOf(db: Reader, milestones: readonly MilestoneBasicRow[]) {
  const ids = (column: 'project_id' | 'group_id') => [
    ...new Set(milestones.map((row) => row[column]).filter((id) => id !== null)),
  ];
  const [projects, group] = await Promise.all([
    projectPaths(db, ids('project_id')),
    namespacePaths(db, ids('group_id')),
  ]);
  return { project: new Map(projects.map(({ id, full_path }) => [id, full_path])), group };
}

const projectPaths = prepareForIds<{ id: number; full_path: string }>((db, ids) =>
  db
    .selectFrom('routes')
    .select(['project_id as id', 'full_path'])
    .where('project_id', 'in', ids)
    .$castTo<{ id: number; full_path: string }>(),
);

/** Has the place a milestone with this number? index: milestones_by_project, milestones_by_group */
export function isIidTaken(db: Reader, place: Place, iid: number): Promise<boolean> {
  const own = db
    .selectFrom('milestones')
    .select('id')
    .where(within('milestones', ownReach(place)));
  return hasRow(own.where('iid', '=', iid));
}

/** Is the title a milestone's, in the place, above it or below it? index: milestones_by_project_title, milestones_by_group_title */
export async function isTitleTaken(db: Reader, place: Place, title: string): Promise<boolean> {
  if (place.project) return isTitledWhere(db, title, within('milestones', await reachOf(db, place)));
  return (
    (await isTitleOfGroup(db, place.group, title)) ||
    isTitledWhere(db, title, sql<SqlBool>`milestones.project_id in (${projectsInside(db, place.group.id)})`)
  );
}

/** The same of groups alone: of this one, those above it and those below it. index: milestones_by_group_title */
export async function isTitleOfGroup(db: Reader, group: Group, title: string): Promise<boolean> {
  return (
    (await isTitledWhere(db, title, within('milestones', await reachOf(db, { group })))) ||
    isTitledWhere(db, title, sql<SqlBool>`milestones.group_id in (${namespacesInside(db, group.id)})`)
  );
}

const isTitledWhere = (db: Reader, title: string, condition: RawBuilder<SqlBool>): Promise<boolean> =>
  hasRow(db.selectFrom('milestones').select('id').where('title', '=', title).where(condition));

/** What a milestone says of itself. */
export interface MilestoneContent {
  readonly title: string;
  readonly description: string | null;
  readonly start_date: string | null;
  readonly due_date: string | null;
}

const kept = ({ title, description, start_date, due_date }: MilestoneContent) => ({
  title,
  title_key: foldCase(title),
  description,
  description_key: description === null ? null : foldCase(description),
  start_date,
  due_date,
});

/** What a milestone was like on another server. */
export type MilestonePast = Pick<MilestoneRow, 'state' | 'created_at' | 'updated_at'>;

export async function insertMilestone(
  tx: Transaction,
  owner: Owner,
  iid: number,
  content: MilestoneContent,
  past: MilestonePast = { state: 'active', created_at: tx.now, updated_at: tx.now },
): Promise<MilestoneRow> {
  return tx
    .insertInto('milestones')
    .values({ ...owner, iid, ...kept(content), ...past })
    .returning(columns)
    .executeTakeFirstOrThrow();
}

export async function updateMilestone(
  tx: Transaction,
  id: number,
  { state, ...content }: MilestoneContent & { readonly state: MilestoneState },
): Promise<MilestoneRow> {
  return tx
    .updateTable('milestones')
    .set({ ...kept(content), state, updated_at: tx.now })
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirstOrThrow();
}

/** Takes it from some issues; says how many. index: issues_by_milestone */
export function takeMilestoneOff(
  tx: Transaction,
  table: 'issues' | 'merge_requests',
  id: number,
  most: number,
): Promise<number> {
  return referElsewhere(tx, { table, column: 'milestone_id' }, { from: id, to: null, most });
}

/** Some of the events that it was given or taken lose it; says how many. index: resource_milestone_events_by_milestone */
export function loseMilestoneEvents(tx: Transaction, id: number, most: number): Promise<number> {
  const events = { table: 'resource_milestone_events', column: 'milestone_id' };
  return referElsewhere(tx, events, { from: id, to: null, most });
}

/** Was it there? What has it loses it. */
export async function deleteMilestoneRow(tx: Transaction, id: number): Promise<boolean> {
  return (await tx.deleteFrom('milestones').where('id', '=', id).returning('id').executeTakeFirst()) !== undefined;
}
