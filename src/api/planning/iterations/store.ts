import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Caller } from '#authentication/caller.ts';
import { groupVisibleTo } from '#authorization/visibility.ts';
import type { Columns, Reader, Transaction } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import { hasRow, type Page, paginate } from '#database/page.ts';
import { prepareForIds } from '#database/prepare.ts';
import { containsSubstringUnindexed } from '#database/search/substring-search.ts';
import { selectDescendantIds } from '#domain/namespaces/hierarchy.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { loadNamespacePaths } from '#domain/namespaces/routes.ts';
import { ancestorsAndSelf } from '#domain/namespaces/scope.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';

export type IterationRow = Omit<Columns<'iterations'>, 'title_key'>;

const columns = [
  'iterations.id',
  'iterations.group_id',
  'iterations.cadence_id',
  'iterations.iid',
  'iterations.title',
  'iterations.description',
  'iterations.start_date',
  'iterations.due_date',
  'iterations.created_at',
  'iterations.updated_at',
] as const;

/** Values of the filter `state`. */
export const ITERATION_STATES = ['opened', 'upcoming', 'current', 'started', 'closed', 'all'] as const;
type IterationStateFilter = (typeof ITERATION_STATES)[number];

interface IterationFilter {
  readonly state: IterationStateFilter;
  readonly search?: string | null | undefined;
  readonly in?: readonly ('title' | 'cadence_title')[] | null | undefined;
  readonly include_ancestors: boolean;
  readonly include_descendants: boolean;
  readonly updated_before?: string | null | undefined;
  readonly updated_after?: string | null | undefined;
}

/** Returns one page of iterations of a group, its ancestors and the descendants that the caller may read, by due date. */
export function listIterations(
  db: Reader,
  caller: Caller,
  groupId: number,
  filter: IterationFilter,
  page: OffsetRequest,
): Promise<Page<IterationRow>> {
  // index: iterations_by_iid, iteration_cadences primary key
  const query = db
    .selectFrom('iterations')
    .innerJoin('iteration_cadences', 'iteration_cadences.id', 'iterations.cadence_id')
    .select(columns)
    .where('iterations.group_id', 'in', selectListedGroupIds(db, caller, groupId, filter))
    .where((eb) => eb.and(buildConditions(db, filter)))
    .orderBy('iterations.due_date')
    .orderBy((eb) => eb.case().when('iterations.title', 'is', null).then(1).else(0).end())
    .orderBy('iterations.title')
    .orderBy('iterations.id');
  return paginate(db, query, page);
}

/**
 * Selects the ids of the groups whose iterations are listed. Ancestors need no check: callers who may read a group may read these.
 * index: namespace_closure_pkey, namespace_closure_by_ancestor
 */
function selectListedGroupIds(
  db: Reader,
  caller: Caller,
  groupId: number,
  { include_ancestors: includeAncestors, include_descendants: includeDescendants }: IterationFilter,
) {
  const ancestors = db.selectFrom('namespace_closure').select('ancestor_id as id').where('descendant_id', '=', groupId);
  const ownGroupAndAncestors = includeAncestors ? ancestors : ancestors.where('depth', '=', 0);
  if (!includeDescendants) return ownGroupAndAncestors;
  const visibleDescendants = db
    .selectFrom('namespaces')
    .select('namespaces.id')
    .where('namespaces.id', 'in', selectDescendantIds(db, groupId))
    .where(groupVisibleTo(caller, db.today));
  return ownGroupAndAncestors.union(visibleDescendants);
}

function buildConditions({ today }: Reader, filter: IterationFilter): RawBuilder<SqlBool>[] {
  const { state, search, updated_before: before, updated_after: after } = filter;
  const conditions: RawBuilder<SqlBool>[] = [];
  if (state !== 'all') conditions.push(stateCondition(state, today));
  if (search) conditions.push(searchCondition(foldCase(search), filter.in ?? []));
  if (before) conditions.push(sql`iterations.updated_at <= ${before}`);
  if (after) conditions.push(sql`iterations.updated_at >= ${after}`);
  return conditions;
}

/** Returns the SQL condition that corresponds to `getIterationState`. */
function stateCondition(state: Exclude<IterationStateFilter, 'all'>, today: string): RawBuilder<SqlBool> {
  switch (state) {
    case 'opened':
      return sql`iterations.due_date >= ${today}`;
    case 'upcoming':
      return sql`iterations.start_date > ${today}`;
    case 'closed':
      return sql`iterations.due_date < ${today}`;
    // `current`, or `started` with the same meaning.
    default:
      return sql`(iterations.start_date <= ${today} and iterations.due_date >= ${today})`;
  }
}

const [UPCOMING_STATE, CURRENT_STATE] = [1, 2] as const;
/** State of iterations whose due date is before today. */
export const CLOSED_STATE = 3;

/** Returns the state of an iteration on this day (contract/planning.md §2.4). */
export function getIterationState(
  { start_date, due_date }: Pick<IterationRow, 'start_date' | 'due_date'>,
  today: string,
) {
  if (start_date > today) return UPCOMING_STATE;
  return due_date < today ? CLOSED_STATE : CURRENT_STATE;
}

function searchCondition(searchText: string, fields: readonly ('title' | 'cadence_title')[]): RawBuilder<SqlBool> {
  const tables = { title: 'iterations', cadence_title: 'iteration_cadences' } as const;
  const searchedFields = fields.length === 0 ? (['title'] as const) : fields;
  const fieldConditions = searchedFields.map((field) =>
    containsSubstringUnindexed(tables[field], ['title_key'], searchText),
  );
  return sql<SqlBool>`(${sql.join(fieldConditions, sql` or `)})`;
}

/** Returns the iteration with this id if it belongs to one of these groups, else null. index: iterations primary key */
export async function findIteration(db: Reader, groupIds: readonly number[], id: number): Promise<IterationRow | null> {
  const row = (await loadIterationsByIds(db, [id]))[0];
  return row !== undefined && groupIds.includes(row.group_id) ? row : null;
}

/** Returns the iteration of these groups with this id or title, or null. index: iterations primary key, iterations_by_iid */
export async function findIterationByReference(
  db: Reader,
  groupIds: readonly number[],
  titleOrId: string | number,
): Promise<IterationRow | null> {
  if (typeof titleOrId === 'number') return findIteration(db, groupIds, titleOrId);
  const query = db
    .selectFrom('iterations')
    .select(columns)
    .where('iterations.group_id', 'in', groupIds)
    .where('iterations.title', '=', titleOrId)
    .orderBy('iterations.id')
    .limit(1);
  return (await query.executeTakeFirst()) ?? null;
}

/** Returns whether the groups have an iteration that has not ended. index: iterations_by_iid */
export function hasOpenIteration(db: Reader, groupIds: readonly number[]): Promise<boolean> {
  const query = db.selectFrom('iterations').select('iterations.id').where('iterations.group_id', 'in', groupIds);
  return hasRow(query.where(stateCondition('opened', db.today)));
}

/**
 * Returns at most two cadences of these groups with this id or title; null means any. Two suffice to tell whether a reference is
 * ambiguous. index: iteration_cadences_by_group
 */
export function findFirstCadences(db: Reader, groupIds: readonly number[], titleOrId: string | number | null) {
  const query = db
    .selectFrom('iteration_cadences')
    .select('id')
    .where('group_id', 'in', groupIds)
    .orderBy('id')
    .limit(2);
  if (titleOrId === null) return query.execute();
  return query.where(typeof titleOrId === 'number' ? 'id' : 'title', '=', titleOrId).execute();
}

/** Returns the current or the next iteration of the cadence, or null. index: iterations_by_cadence */
export async function findIterationOfCadence(
  db: Reader,
  cadenceId: number,
  state: 'next' | 'current',
): Promise<IterationRow | null> {
  const query = db
    .selectFrom('iterations')
    .select(columns)
    .where('iterations.cadence_id', '=', cadenceId)
    .where(stateCondition(state === 'next' ? 'upcoming' : 'current', db.today))
    .orderBy('iterations.start_date')
    .limit(1);
  return (await query.executeTakeFirst()) ?? null;
}

// index: iterations primary key
const loadIterationsByIds = prepareForIds<IterationRow>((db, ids) =>
  db.selectFrom('iterations').select(columns).where('iterations.id', 'in', ids),
);

/** Returns the iterations with these ids whose group the caller may read. index: iterations primary key, namespaces primary key */
export async function loadVisibleIterations(
  db: Reader,
  caller: Caller,
  ids: readonly (number | null)[],
): Promise<IterationRow[]> {
  const uniqueIds = [...new Set(ids)].filter((id) => id !== null);
  if (uniqueIds.length === 0) return [];
  return db
    .selectFrom('iterations')
    .select(columns)
    .where('iterations.id', 'in', uniqueIds)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('namespaces')
          .select('namespaces.id')
          .whereRef('namespaces.id', '=', 'iterations.group_id')
          .where(groupVisibleTo(caller, db.today)),
      ),
    )
    .execute();
}

/** Loads the sequence numbers of iterations and the full paths of their groups. */
export async function loadIterationRelations(db: Reader, rows: readonly IterationRow[]) {
  const [sequences, groupPathsById] = await Promise.all([
    loadSequences(
      db,
      rows.map(({ id }) => id),
    ),
    loadNamespacePaths(
      db,
      rows.map(({ group_id }) => group_id),
    ),
  ]);
  return { sequencesById: new Map(sequences.map(({ id, sequence }) => [id, sequence])), groupPathsById };
}

// The sequence number counts the iterations of the cadence up to this one. index: iterations primary key, iterations_by_cadence
const loadSequences = prepareForIds<{ id: number; sequence: number }>((db, ids) =>
  db
    .selectFrom('iterations')
    .select('iterations.id')
    .select((eb) =>
      eb
        .selectFrom('iterations as earlier')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .whereRef('earlier.cadence_id', '=', 'iterations.cadence_id')
        .whereRef('earlier.start_date', '<=', 'iterations.start_date')
        .as('sequence'),
    )
    .where('iterations.id', 'in', ids)
    .$castTo<{ id: number; sequence: number }>(),
);

/** Returns whether another iteration of the cadence overlaps these dates. index: iterations_by_cadence */
export function hasOverlappingIteration(
  db: Reader,
  {
    id,
    cadence_id,
    start_date,
    due_date,
  }: Pick<IterationRow, 'cadence_id' | 'start_date' | 'due_date'> & { id: number },
): Promise<boolean> {
  return hasRow(
    db
      .selectFrom('iterations')
      .select('id')
      .where('cadence_id', '=', cadence_id)
      .where('start_date', '<=', due_date)
      .where('due_date', '>=', start_date)
      .where('id', '<>', id),
  );
}

/** Returns whether another iteration of the cadence has this title. index: iterations_by_title */
export function isIterationTitleTaken(
  db: Reader,
  { id, cadence_id, title }: Pick<IterationRow, 'id' | 'cadence_id'> & { readonly title: string },
): Promise<boolean> {
  return hasRow(
    db
      .selectFrom('iterations')
      .select('id')
      .where('title', '=', title)
      .where('cadence_id', '=', cadence_id)
      .where('id', '<>', id),
  );
}

/** Returns whether the group has an iteration with this iid. index: iterations_by_iid */
export function isIterationIidTaken(db: Reader, groupId: number, iid: number): Promise<boolean> {
  const groupIterations = db.selectFrom('iterations').select('id').where('group_id', '=', groupId);
  return hasRow(groupIterations.where('iid', '=', iid));
}

/** Returns whether the iteration is the last of its cadence. index: iterations_by_cadence */
export async function isLastIteration(db: Reader, { cadence_id, start_date }: IterationRow): Promise<boolean> {
  const cadenceIterations = db.selectFrom('iterations').select('id').where('cadence_id', '=', cadence_id);
  return !(await hasRow(cadenceIterations.where('start_date', '>', start_date)));
}

/** The attributes of an iteration that users write. */
export type IterationContent = Pick<IterationRow, 'title' | 'description' | 'start_date' | 'due_date'>;

/** Updates an iteration and returns its row. index: iterations primary key */
export async function updateIterationRow(
  tx: Transaction,
  id: number,
  content: IterationContent,
): Promise<IterationRow> {
  const title_key = content.title === null ? null : foldCase(content.title);
  return tx
    .updateTable('iterations')
    .set({ ...content, title_key, updated_at: tx.now })
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirstOrThrow();
}

/** Deletes the row of an iteration. index: iterations primary key */
export async function deleteIterationRow(tx: Transaction, id: number): Promise<void> {
  await tx.deleteFrom('iterations').where('id', '=', id).execute();
}

/** Returns the id if issues of the project can have this iteration: it belongs to an ancestor group. Else returns null. */
export async function findIterationIdForProject(db: Reader, project: Project, id: number): Promise<number | null> {
  return (await findIteration(db, (await ancestorsAndSelf(db, { project })).groupIds, id))?.id ?? null;
}
