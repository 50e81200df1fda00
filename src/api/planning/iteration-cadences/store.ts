import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Columns, Reader, Transaction } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import { type Page, paginate } from '#database/page.ts';
import { containsSubstringUnindexed } from '#database/search/substring-search.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';

export type CadenceRow = Omit<Columns<'iteration_cadences'>, 'title_key'>;

const columns = [
  'iteration_cadences.id',
  'iteration_cadences.group_id',
  'iteration_cadences.title',
  'iteration_cadences.description',
  'iteration_cadences.active',
  'iteration_cadences.automatic',
  'iteration_cadences.start_date',
  'iteration_cadences.duration_in_weeks',
  'iteration_cadences.iterations_in_advance',
  'iteration_cadences.roll_over',
  'iteration_cadences.next_run_date',
  'iteration_cadences.rolled_over_until',
  'iteration_cadences.created_at',
  'iteration_cadences.updated_at',
] as const;

interface CadenceFilter {
  readonly search?: string | null | undefined;
  readonly active?: boolean | null | undefined;
  readonly automatic?: boolean | null | undefined;
  readonly duration_in_weeks?: number | null | undefined;
}

/** Returns one page of the cadences of these groups, ordered by title. */
export function listCadences(
  db: Reader,
  groupIds: readonly number[],
  filter: CadenceFilter,
  page: OffsetRequest,
): Promise<Page<CadenceRow>> {
  const conditions: RawBuilder<SqlBool>[] = [];
  for (const name of ['active', 'automatic', 'duration_in_weeks'] as const) {
    if (filter[name] != null) conditions.push(sql`${sql.ref(`iteration_cadences.${name}`)} = ${filter[name]}`);
  }
  if (filter.search) {
    conditions.push(containsSubstringUnindexed('iteration_cadences', ['title_key'], foldCase(filter.search)));
  }
  // index: iteration_cadences_by_group
  const query = db
    .selectFrom('iteration_cadences')
    .select(columns)
    .where('group_id', 'in', groupIds)
    .where((eb) => eb.and(conditions));
  return paginate(db, query.orderBy('title').orderBy('id'), page);
}

/** Returns the cadence with this id if it belongs to one of these groups, else null. index: iteration_cadences primary key */
export async function findCadence(db: Reader, groupIds: readonly number[], id: number): Promise<CadenceRow | null> {
  const cadence = await findCadenceById(db, id);
  return cadence !== null && groupIds.includes(cadence.group_id) ? cadence : null;
}

/** Returns the cadence with this id, or null. index: iteration_cadences primary key */
export async function findCadenceById(db: Reader, id: number): Promise<CadenceRow | null> {
  const row = await db.selectFrom('iteration_cadences').select(columns).where('id', '=', id).executeTakeFirst();
  return row ?? null;
}

/** Returns the oldest manual cadence of the group, or null. index: iteration_cadences_by_group */
export async function findFirstManualCadence(db: Reader, groupId: number): Promise<CadenceRow | null> {
  return (await selectOldestManualCadence(db, groupId).executeTakeFirst()) ?? null;
}

/** Returns the oldest manual cadence of the group with this title, or null. index: iteration_cadences_by_group */
export async function findManualCadenceByTitle(db: Reader, groupId: number, title: string): Promise<CadenceRow | null> {
  return (await selectOldestManualCadence(db, groupId).where('title', '=', title).executeTakeFirst()) ?? null;
}

function selectOldestManualCadence(db: Reader, groupId: number) {
  return db
    .selectFrom('iteration_cadences')
    .select(columns)
    .where('group_id', '=', groupId)
    .where('automatic', '=', false)
    .orderBy('id')
    .limit(1);
}

/** The attributes of a cadence that users write. */
export type CadenceContent = Pick<
  CadenceRow,
  | 'title'
  | 'description'
  | 'active'
  | 'automatic'
  | 'start_date'
  | 'duration_in_weeks'
  | 'iterations_in_advance'
  | 'roll_over'
>;

/** Inserts a cadence and returns its row. */
export async function insertCadence(tx: Transaction, groupId: number, content: CadenceContent): Promise<CadenceRow> {
  const timestamps = { created_at: tx.now, updated_at: tx.now };
  return tx
    .insertInto('iteration_cadences')
    .values({ group_id: groupId, ...content, title_key: foldCase(content.title), ...timestamps })
    .returning(columns)
    .executeTakeFirstOrThrow();
}

/** Updates a cadence and returns its row. index: iteration_cadences primary key */
export async function updateCadenceRow(tx: Transaction, id: number, content: CadenceContent): Promise<CadenceRow> {
  return tx
    .updateTable('iteration_cadences')
    .set({ ...content, title_key: foldCase(content.title), updated_at: tx.now })
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirstOrThrow();
}

/** Sets the next run date and the day until which roll-overs are done. index: iteration_cadences primary key */
export async function updateCadenceRunDates(
  tx: Transaction,
  id: number,
  runDates: Pick<CadenceRow, 'next_run_date' | 'rolled_over_until'>,
): Promise<CadenceRow> {
  return tx
    .updateTable('iteration_cadences')
    .set(runDates)
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirstOrThrow();
}

/** Deletes the cadence with its iterations, and returns whether it existed. index: iteration_cadences primary key */
export async function deleteCadenceRow(tx: Transaction, id: number): Promise<boolean> {
  const deletedRow = await tx.deleteFrom('iteration_cadences').where('id', '=', id).returning('id').executeTakeFirst();
  return deletedRow !== undefined;
}
