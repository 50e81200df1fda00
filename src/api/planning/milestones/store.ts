import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { reassignReferences } from '#database/batch-statements.ts';
import type { Columns, Reader, Transaction } from '#database/database.ts';
import { isInIds } from '#database/dialect.ts';
import { foldCase } from '#database/name-keys.ts';
import { hasRow, type Page, paginate } from '#database/page.ts';
import { prepareForIds } from '#database/prepare.ts';
import type { MilestoneState } from '#database/schema.ts';
import { containsWordsUnindexed, parseSearchWords } from '#database/search/word-search.ts';
import { allocateIid } from '#domain/iids.ts';
import type { Group } from '#domain/namespaces/groups.ts';
import { selectDescendantIds, selectDescendantProjectIds } from '#domain/namespaces/hierarchy.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { loadNamespacePaths } from '#domain/namespaces/routes.ts';
import {
  ancestorsAndSelf,
  type GroupOrProject,
  isInScope,
  type NamespaceScope,
  type OwnerColumns,
  selfOnly,
  sortNearestFirst,
  toNamespaceOwnerColumns,
} from '#domain/namespaces/scope.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';

/** A milestone without its description, which is loaded separately. */
export type MilestoneBasicRow = Columns<
  'milestones',
  'id' | 'iid' | 'project_id' | 'group_id' | 'title' | 'state' | 'start_date' | 'due_date' | 'created_at' | 'updated_at'
>;

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

/** Selects the milestones whose project or group is in the scope or, if `ownerCondition` is given, fulfils this condition. */
const selectListedMilestones = (db: Reader, scope: NamespaceScope, ownerCondition: RawBuilder<SqlBool> | null = null) =>
  db
    .selectFrom('milestones')
    .select(basicColumns)
    .where(ownerCondition ?? isInScope('milestones', scope));

const selectMilestones = (db: Reader, scope: NamespaceScope) =>
  selectListedMilestones(db, scope).select('milestones.description');

interface MilestoneFilter {
  readonly state?: MilestoneState | 'all' | null | undefined;
  readonly iids?: readonly number[] | null | undefined;
  readonly title?: string | null | undefined;
  readonly search?: string | null | undefined;
  readonly updated_before?: string | null | undefined;
  readonly updated_after?: string | null | undefined;
  /** Condition on the project or group of a row, in place of `isInScope`. */
  readonly ownerCondition?: RawBuilder<SqlBool> | null;
}

/** Returns one page of milestones, ordered by due date (nulls last), then newest first. */
export function listMilestones(
  db: Reader,
  scope: NamespaceScope,
  filter: MilestoneFilter,
  page: OffsetRequest,
): Promise<Page<MilestoneBasicRow>> {
  const query = applyFilter(db, selectListedMilestones(db, scope, filter.ownerCondition), filter)
    .orderBy((eb) => eb.case().when('milestones.due_date', 'is', null).then(1).else(0).end())
    .orderBy('milestones.due_date')
    .orderBy('milestones.id', 'desc');
  return paginate(db, query, page);
}

type MilestoneListQuery = ReturnType<typeof selectListedMilestones>;

function applyFilter(db: Reader, query: MilestoneListQuery, filter: MilestoneFilter): MilestoneListQuery {
  const { state, iids, title, search, updated_before: updatedBefore, updated_after: updatedAfter } = filter;
  const conditions: RawBuilder<SqlBool>[] = [];
  if (state && state !== 'all') conditions.push(sql`milestones.state = ${state}`);
  if (iids && iids.length > 0) conditions.push(isInIds(db, sql<number>`milestones.iid`, iids));
  if (title) conditions.push(sql`milestones.title = ${title}`);
  if (search) {
    const words = parseSearchWords(foldCase(search));
    conditions.push(containsWordsUnindexed(db, 'milestones', ['title_key', 'description_key'], words));
  }
  if (updatedBefore) conditions.push(sql`milestones.updated_at <= ${updatedBefore}`);
  if (updatedAfter) conditions.push(sql`milestones.updated_at >= ${updatedAfter}`);
  return conditions.reduce((filteredQuery, condition) => filteredQuery.where(condition), query);
}

/** Returns the milestone with this id in the scope, or null. index: milestones primary key */
export async function findMilestone(db: Reader, scope: NamespaceScope, id: number): Promise<MilestoneRow | null> {
  return (await selectMilestones(db, scope).where('milestones.id', '=', id).executeTakeFirst()) ?? null;
}

/**
 * Returns the milestone with this title in the scope, or null. If several have it, the one of the project or the nearest group.
 * index: milestones_by_project_title, milestones_by_group_title
 */
export async function findMilestoneByTitle(
  db: Reader,
  scope: NamespaceScope,
  title: string,
): Promise<MilestoneRow | null> {
  const rows = await selectMilestones(db, scope).where('milestones.title', '=', title).execute();
  return sortNearestFirst(scope, rows)[0] ?? null;
}

/** Returns the milestones with these ids in one statement; nulls are ignored. */
export async function loadMilestonesById(
  db: Reader,
  ids: readonly (number | null)[],
): Promise<ReadonlyMap<number, MilestoneBasicRow>> {
  const uniqueIds = [...new Set(ids)].filter((id) => id !== null);
  return new Map((await findMilestoneRows(db, uniqueIds)).map((row) => [row.id, row]));
}

// index: milestones primary key
const findMilestoneRows = prepareForIds<MilestoneBasicRow>((db, ids) =>
  db.selectFrom('milestones').select(basicColumns).where('milestones.id', 'in', ids),
);

/** Returns the full paths of the projects and groups of milestones, by id. index: routes_by_project, routes_by_namespace */
export async function loadMilestonePaths(db: Reader, milestones: readonly MilestoneBasicRow[]) {
  const collectIds = (column: 'project_id' | 'group_id') => [
    ...new Set(milestones.map((row) => row[column]).filter((id) => id !== null)),
  ];
  const [projectRoutes, groupPathsById] = await Promise.all([
    loadProjectPaths(db, collectIds('project_id')),
    loadNamespacePaths(db, collectIds('group_id')),
  ]);
  return { projectPathsById: new Map(projectRoutes.map(({ id, full_path }) => [id, full_path])), groupPathsById };
}

const loadProjectPaths = prepareForIds<{ id: number; full_path: string }>((db, ids) =>
  db
    .selectFrom('routes')
    .select(['project_id as id', 'full_path'])
    .where('project_id', 'in', ids)
    .$castTo<{ id: number; full_path: string }>(),
);

/** Returns whether the project or group has a milestone with this iid. index: milestones_by_project, milestones_by_group */
export function isMilestoneIidTaken(db: Reader, parent: GroupOrProject, iid: number): Promise<boolean> {
  const milestones = db
    .selectFrom('milestones')
    .select('id')
    .where(isInScope('milestones', selfOnly(parent)));
  return hasRow(milestones.where('iid', '=', iid));
}

/**
 * Returns whether a milestone in the project or group, its ancestors or its descendants has this title.
 * index: milestones_by_project_title, milestones_by_group_title
 */
export async function isMilestoneTitleTaken(db: Reader, parent: GroupOrProject, title: string): Promise<boolean> {
  if (parent.project) return hasTitle(db, title, isInScope('milestones', await ancestorsAndSelf(db, parent)));
  return (
    (await isTitleTakenAmongGroups(db, parent.group, title)) ||
    hasTitle(db, title, sql<SqlBool>`milestones.project_id in (${selectDescendantProjectIds(db, parent.group.id)})`)
  );
}

/** Returns whether a milestone of the group, its ancestors or its descendant groups has this title. index: milestones_by_group_title */
export async function isTitleTakenAmongGroups(db: Reader, group: Group, title: string): Promise<boolean> {
  return (
    (await hasTitle(db, title, isInScope('milestones', await ancestorsAndSelf(db, { group })))) ||
    hasTitle(db, title, sql<SqlBool>`milestones.group_id in (${selectDescendantIds(db, group.id)})`)
  );
}

const hasTitle = (db: Reader, title: string, condition: RawBuilder<SqlBool>): Promise<boolean> =>
  hasRow(db.selectFrom('milestones').select('id').where('title', '=', title).where(condition));

/** The attributes of a milestone that users write. */
export type MilestoneContent = Columns<'milestones', 'title' | 'description' | 'start_date' | 'due_date'>;

const toMilestoneValues = ({ title, description, start_date, due_date }: MilestoneContent) => ({
  title,
  title_key: foldCase(title),
  description,
  description_key: description === null ? null : foldCase(description),
  start_date,
  due_date,
});

/** State and timestamps of an imported milestone. */
export type ImportedMilestoneState = Pick<MilestoneRow, 'state' | 'created_at' | 'updated_at'>;

/** Inserts a milestone and returns its row. */
export async function insertMilestone(
  tx: Transaction,
  owner: OwnerColumns,
  iid: number,
  content: MilestoneContent,
  importedState: ImportedMilestoneState = { state: 'active', created_at: tx.now, updated_at: tx.now },
): Promise<MilestoneRow> {
  return tx
    .insertInto('milestones')
    .values({ ...owner, iid, ...toMilestoneValues(content), ...importedState })
    .returning(columns)
    .executeTakeFirstOrThrow();
}

/** Updates a milestone and returns its row. */
export async function updateMilestoneRow(
  tx: Transaction,
  id: number,
  { state, ...content }: MilestoneContent & { readonly state: MilestoneState },
): Promise<MilestoneRow> {
  return tx
    .updateTable('milestones')
    .set({ ...toMilestoneValues(content), state, updated_at: tx.now })
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirstOrThrow();
}

/**
 * Clears the milestone from at most `limit` issues or merge requests and returns their number.
 * index: issues_by_milestone, merge_requests_by_milestone
 */
export function clearMilestoneBatch(
  tx: Transaction,
  table: 'issues' | 'merge_requests',
  id: number,
  limit: number,
): Promise<number> {
  return reassignReferences(tx, { table, column: 'milestone_id' }, { from: id, to: null, limit });
}

/** Clears the milestone from at most `limit` milestone events and returns their number. index: resource_milestone_events_by_milestone */
export function clearMilestoneEventBatch(tx: Transaction, id: number, limit: number): Promise<number> {
  const events = { table: 'resource_milestone_events', column: 'milestone_id' };
  return reassignReferences(tx, events, { from: id, to: null, limit });
}

/** Deletes the row of the milestone. Returns whether it existed. */
export async function deleteMilestoneRow(tx: Transaction, id: number): Promise<boolean> {
  return (await tx.deleteFrom('milestones').where('id', '=', id).returning('id').executeTakeFirst()) !== undefined;
}

/**
 * Maps milestones to milestones of the same title that this project can use: its own or inherited ones. Creates missing ones
 * without recording activity. Returns old id -> new id.
 */
export async function mapMilestonesToProject(
  tx: Transaction,
  project: Pick<Project, 'id' | 'namespace_id'>,
  ids: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const newIdsByOldId = new Map<number, number>();
  if (ids.length === 0) return newIdsByOldId;
  // index: milestones primary key
  const originalMilestones = await tx
    .selectFrom('milestones')
    .select(['id', 'title', 'description', 'start_date', 'due_date', 'state', 'created_at', 'updated_at'])
    .where((eb) => isInIds(tx, eb.ref('id'), ids))
    .orderBy('id')
    .execute();
  const scope = await ancestorsAndSelf(tx, { project });
  for (const { id, state, created_at, updated_at, ...content } of originalMilestones) {
    const equivalent =
      (await findMilestoneByTitle(tx, scope, content.title)) ??
      (await insertMilestone(
        tx,
        toNamespaceOwnerColumns({ project }),
        await allocateIid(tx, { projectId: project.id }, 'milestone'),
        content,
        { state, created_at, updated_at },
      ));
    newIdsByOldId.set(id, equivalent.id);
  }
  return newIdsByOldId;
}
