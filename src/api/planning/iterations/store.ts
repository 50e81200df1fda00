import { type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely';
import type { Caller } from '#authentication/caller.ts';
import { groupVisibleTo } from '#authorization/visibility-conditions.ts';
import type { Reader, Transaction } from '#database/database.ts';
import { hasRow } from '#database/has-row.ts';
import { foldCase } from '#database/name-keys.ts';
import { type Page, paged } from '#database/page.ts';
import { prepareForIds } from '#database/prepare.ts';
import { containingUnindexed } from '#database/search/substring-search.ts';
import type { IterationsTables } from '#database/tables/iterations.ts';
import { namespacesInside } from '#domain/namespaces/hierarchy.ts';
import { namespacePaths } from '#domain/namespaces/routes.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';

/** The rows of iterations. */

export type IterationRow = Omit<Selectable<IterationsTables['iterations']>, 'title_key'>;

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

export const ITERATION_STATES = ['opened', 'upcoming', 'current', 'started', 'closed', 'all'] as const;
type StateWord = (typeof ITERATION_STATES)[number];

interface IterationFilter {
  readonly state: StateWord;
  readonly search?: string | null | undefined;
  readonly in?: readonly ('title' | 'cadence_title')[] | null | undefined;
  readonly include_ancestors: boolean;
  readonly include_descendants: boolean;
  readonly updated_before?: string | null | undefined;
  readonly updated_after?: string | null | undefined;
}

/** One page of the iterations of a group, of those above it and of those inside it that the caller sees: the first due first. */
export function listIterations(
  db: Reader,
  caller: Caller,
  groupId: number,
  filter: IterationFilter,
  page: OffsetRequest,
): Promise<Page<IterationRow>> {
  // index: iterations_by_iid, iteration_cadences primary key
  const found = db
    .selectFrom('iterations')
    .innerJoin('iteration_cadences', 'iteration_cadences.id', 'iterations.cadence_id')
    .select(columns)
    .where('iterations.group_id', 'in', groupsOf(db, caller, groupId, filter))
    .where((eb) => eb.and(conditions(db, filter)))
    .orderBy('iterations.due_date')
    .orderBy((eb) => eb.case().when('iterations.title', 'is', null).then(1).else(0).end())
    .orderBy('iterations.title')
    .orderBy('iterations.id');
  return paged(db, found, page);
}

/** Whoever sees a group sees those above it. index: namespace_closure_pkey, namespace_closure_by_ancestor */
function groupsOf(
  db: Reader,
  caller: Caller,
  groupId: number,
  { include_ancestors: above, include_descendants: inside }: IterationFilter,
) {
  const line = db.selectFrom('namespace_closure').select('ancestor_id as id').where('descendant_id', '=', groupId);
  const own = above ? line : line.where('depth', '=', 0);
  if (!inside) return own;
  const seen = db
    .selectFrom('namespaces')
    .select('namespaces.id')
    .where('namespaces.id', 'in', namespacesInside(db, groupId))
    .where(groupVisibleTo(caller, db.today));
  return own.union(seen);
}

function conditions({ today }: Reader, filter: IterationFilter): RawBuilder<SqlBool>[] {
  const { state, search, updated_before: before, updated_after: after } = filter;
  const all: RawBuilder<SqlBool>[] = [];
  if (state !== 'all') all.push(stateCondition(state, today));
  if (search) all.push(searched(foldCase(search), filter.in ?? []));
  if (before) all.push(sql`iterations.updated_at <= ${before}`);
  if (after) all.push(sql`iterations.updated_at >= ${after}`);
  return all;
}

/** As `stateOf` says of one. */
function stateCondition(state: Exclude<StateWord, 'all'>, today: string): RawBuilder<SqlBool> {
  switch (state) {
    case 'opened':
      return sql`iterations.due_date >= ${today}`;
    case 'upcoming':
      return sql`iterations.start_date > ${today}`;
    case 'closed':
      return sql`iterations.due_date < ${today}`;
    default:
      return sql`(iterations.start_date <= ${today} and iterations.due_date >= ${today})`;
  }
}

/** What its days say of an iteration: 1 upcoming, 2 current, 3 closed (contract/planning.md §2.4). */
export function stateOf({ start_date, due_date }: Pick<IterationRow, 'start_date' | 'due_date'>, today: string) {
  if (start_date > today) return 1;
  return due_date < today ? 3 : 2;
}

function searched(part: string, places: readonly ('title' | 'cadence_title')[]): RawBuilder<SqlBool> {
  const tables = { title: 'iterations', cadence_title: 'iteration_cadences' } as const;
  const named = places.length === 0 ? (['title'] as const) : places;
  const fits = named.map((place) => containingUnindexed(tables[place], ['title_key'], part));
  return sql<SqlBool>`(${sql.join(fits, sql` or `)})`;
}

/** The iteration with this id, of one of these groups. index: iterations primary key */
export async function findIteration(db: Reader, groupIds: readonly number[], id: number): Promise<IterationRow | null> {
  const row = (await iterationsByIds(db, [id]))[0];
  return row !== undefined && groupIds.includes(row.group_id) ? row : null;
}

// index: iterations primary key
const iterationsByIds = prepareForIds<IterationRow>((db, ids) =>
  db.selectFrom('iterations').select(columns).where('iterations.id', 'in', ids),
);

/** Of these iterations those whose group the caller sees. index: iterations primary key, namespaces primary key */
export async function iterationsSeenBy(
  db: Reader,
  caller: Caller,
  ids: readonly (number | null)[],
): Promise<IterationRow[]> {
  const wanted = [...new Set(ids)].filter((id) => id !== null);
  if (wanted.length === 0) return [];
  return db
    .selectFrom('iterations')
    .select(columns)
    .where('iterations.id', 'in', wanted)
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

/** What iterations need beside their rows: their place among those of their cadence, and the full paths of their groups. */
export async function besideIterations(db: Reader, rows: readonly IterationRow[]) {
  const [sequences, paths] = await Promise.all([
    sequencesOf(
      db,
      rows.map(({ id }) => id),
    ),
    namespacePaths(
      db,
      rows.map(({ group_id }) => group_id),
    ),
  ]);
  return { sequences: new Map(sequences.map(({ id, sequence }) => [id, sequence])), paths };
}

// index: iterations primary key, iterations_by_cadence
const sequencesOf = prepareForIds<{ id: number; sequence: number }>((db, ids) =>
  db
    .selectFrom('iterations')
    .select('iterations.id')
    .select((eb) =>
      eb
        .selectFrom('iterations as before')
        .select((count) => count.fn.countAll<number>().as('count'))
        .whereRef('before.cadence_id', '=', 'iterations.cadence_id')
        .whereRef('before.start_date', '<=', 'iterations.start_date')
        .as('sequence'),
    )
    .where('iterations.id', 'in', ids)
    .$castTo<{ id: number; sequence: number }>(),
);

/** Has the cadence another one that shares a day with these? index: iterations_by_cadence */
export function isOverlapping(
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

/** Has the cadence another one with this title? index: iterations_by_title */
export function isTitleTaken(
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

/** Has the group one with this number? index: iterations_by_iid */
export function isIidTaken(db: Reader, groupId: number, iid: number): Promise<boolean> {
  const numbered = db.selectFrom('iterations').select('id').where('group_id', '=', groupId);
  return hasRow(numbered.where('iid', '=', iid));
}

/** Is it the last of its cadence? index: iterations_by_cadence */
export async function isLast(db: Reader, { cadence_id, start_date }: IterationRow): Promise<boolean> {
  const later = db.selectFrom('iterations').select('id').where('cadence_id', '=', cadence_id);
  return !(await hasRow(later.where('start_date', '>', start_date)));
}

/** What people write of an iteration. */
export type IterationContent = Pick<IterationRow, 'title' | 'description' | 'start_date' | 'due_date'>;

/** index: iterations primary key */
export async function updateIteration(tx: Transaction, id: number, content: IterationContent): Promise<IterationRow> {
  const title_key = content.title === null ? null : foldCase(content.title);
  return tx
    .updateTable('iterations')
    .set({ ...content, title_key, updated_at: tx.now })
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirstOrThrow();
}

/** index: iterations primary key */
export async function deleteIterationRow(tx: Transaction, id: number): Promise<void> {
  await tx.deleteFrom('iterations').where('id', '=', id).execute();
}
