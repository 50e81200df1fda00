import type { Insertable, Selectable, Updateable } from 'kysely';
import type { Reader, Transaction } from '#database/database.ts';
import { type Page, paginate } from '#database/page.ts';
import { type Params, prepare } from '#database/prepare.ts';
import type { Schema } from '#database/schema.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';

/** Queries for pipeline schedules. */

type Table = Schema['pipeline_schedules'];
export type ScheduleRow = Selectable<Table>;

const columns = [
  'id',
  'project_id',
  'owner_id',
  'description',
  'ref',
  'cron',
  'cron_timezone',
  'next_run_at',
  'active',
  'created_at',
  'updated_at',
] as const;

/** Lists the schedules of a project, oldest first. index: pipeline_schedules_by_project */
export function listSchedules(
  db: Reader,
  projectId: number,
  scope: 'active' | 'inactive' | null | undefined,
  page: OffsetRequest,
): Promise<Page<ScheduleRow>> {
  const schedules = db.selectFrom('pipeline_schedules').select(columns).where('project_id', '=', projectId);
  const matches = scope == null ? schedules : schedules.where('active', '=', scope === 'active');
  return paginate(db, matches.orderBy('id'), page);
}

// index: pipeline_schedules primary key
const scheduleByIdQuery = prepare((db, value: Params<{ id: number }>) =>
  db.selectFrom('pipeline_schedules').select(columns).where('id', '=', value('id')),
);

/** Returns the schedule of a project with this id, or null. */
export async function findSchedule(db: Reader, projectId: number, id: number): Promise<ScheduleRow | null> {
  const row = await findScheduleById(db, id);
  return row?.project_id === projectId ? row : null;
}

/** Returns the schedule with this id in any project, or null. */
export async function findScheduleById(db: Reader, id: number): Promise<ScheduleRow | null> {
  return (await scheduleByIdQuery.first(db, { id })) ?? null;
}

/** Counts the schedules of a project, which are few. index: pipeline_schedules_by_project */
export async function countSchedules(db: Reader, projectId: number): Promise<number> {
  const ids = db.selectFrom('pipeline_schedules').select('id').where('project_id', '=', projectId);
  return (await ids.execute()).length;
}

export async function insertSchedule(
  tx: Transaction,
  row: Omit<Insertable<Table>, 'created_at' | 'updated_at'>,
): Promise<ScheduleRow> {
  return tx
    .insertInto('pipeline_schedules')
    .values({ ...row, created_at: tx.now, updated_at: tx.now })
    .returning(columns)
    .executeTakeFirstOrThrow();
}

/** Updates a schedule and returns it, or null if it was deleted. index: pipeline_schedules primary key */
export async function updateSchedule(
  tx: Transaction,
  id: number,
  values: Updateable<Table>,
): Promise<ScheduleRow | null> {
  const row = await tx
    .updateTable('pipeline_schedules')
    .set({ ...values, updated_at: tx.now })
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirst();
  return row ?? null;
}

/** index: pipeline_schedules primary key */
export async function deleteSchedule(tx: Transaction, id: number): Promise<void> {
  await tx.deleteFrom('pipeline_schedules').where('id', '=', id).execute();
}

/** Selects due schedules, longest waiting first. index: pipeline_schedules_due */
export function selectDueSchedules(db: Reader, now: string, limit: number) {
  return db
    .selectFrom('pipeline_schedules')
    .select(['id', 'owner_id', 'cron', 'cron_timezone', 'next_run_at'])
    .where('active', '=', true)
    .where('next_run_at', '<=', now)
    .orderBy('next_run_at')
    .orderBy('id')
    .limit(limit);
}

/**
 * Sets the next run of a due schedule by a compare-and-set. Returns false if another process did so or it is no longer
 * due.
 * index: pipeline_schedules primary key
 */
export async function setNextRun(
  tx: Transaction,
  { id, next_run_at }: Pick<ScheduleRow, 'id' | 'next_run_at'>,
  nextRunAt: string,
): Promise<boolean> {
  const result = await tx
    .updateTable('pipeline_schedules')
    .set({ next_run_at: nextRunAt })
    .where('id', '=', id)
    .where('next_run_at', '=', next_run_at)
    .where('active', '=', true)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Deactivates the schedule, unless its owner has changed. index: pipeline_schedules primary key */
export async function deactivateSchedule(
  tx: Transaction,
  { id, owner_id }: Pick<ScheduleRow, 'id' | 'owner_id'>,
): Promise<void> {
  const update = tx.updateTable('pipeline_schedules').set({ active: false, updated_at: tx.now }).where('id', '=', id);
  await update.where('owner_id', owner_id === null ? 'is' : '=', owner_id).execute();
}
