import type { KeyObject } from 'node:crypto';
import type { Insertable, Selectable, Updateable } from 'kysely';
import type { Columns, Reader, Transaction } from '#database/database.ts';
import { type Page, paginate } from '#database/page.ts';
import { type Params, prepare } from '#database/prepare.ts';
import type { Schema } from '#database/schema.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import type { Services } from '#http/services.ts';
import { compactFieldErrors, type Failure, fail, invalid } from '#runtime/failure.ts';
import { ENCRYPTED_COLUMNS } from '#security/encrypted-columns.ts';
import { decrypt, encrypt } from '#security/encryption.ts';
import type { PipelineVariableInput } from '../ci-file/index.ts';
import { validateVariable } from '../variables/index.ts';

// Queries for pipeline schedules.

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
const selectScheduleById = prepare((db, value: Params<{ id: number }>) =>
  db.selectFrom('pipeline_schedules').select(columns).where('id', '=', value('id')),
);

/** Returns the schedule of a project with this id, or null. */
export async function findSchedule(db: Reader, projectId: number, id: number): Promise<ScheduleRow | null> {
  const row = await findScheduleById(db, id);
  return row?.project_id === projectId ? row : null;
}

/** Returns the schedule with this id in any project, or null. */
export async function findScheduleById(db: Reader, id: number): Promise<ScheduleRow | null> {
  return (await selectScheduleById.first(db, { id })) ?? null;
}

/** Counts the schedules of a project, which are few. index: pipeline_schedules_by_project */
export async function countSchedules(db: Reader, projectId: number): Promise<number> {
  const ids = db.selectFrom('pipeline_schedules').select('id').where('project_id', '=', projectId);
  return (await ids.execute()).length;
}

/** Inserts a schedule and returns it. */
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

/** Deletes a schedule; its variables are deleted with it. index: pipeline_schedules primary key */
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

// Variables of schedules (contract/runners.md §4.7). Values are encrypted, each bound to its schedule and key.

export interface ScheduleVariableRow
  extends Columns<'pipeline_schedule_variables', 'schedule_id' | 'key' | 'variable_type' | 'raw'> {
  /** Encrypted. */
  readonly value: string;
}

const variableColumns = ['schedule_id', 'key', 'value', 'variable_type', 'raw'] as const;

const { buildContext } = ENCRYPTED_COLUMNS.scheduleVariable;

/** Maximum number of variables of a schedule, the same as for a request that creates a pipeline. */
const MAX_VARIABLES = 200;

/** Lists the variables of a schedule, encrypted, in order of creation. index: pipeline_schedule_variables_by_key */
export function listScheduleVariables(db: Reader, scheduleId: number): Promise<ScheduleVariableRow[]> {
  const query = db
    .selectFrom('pipeline_schedule_variables')
    .select(variableColumns)
    .where('schedule_id', '=', scheduleId);
  return query.orderBy('id').execute();
}

/** Decrypts a variable. */
export function decryptScheduleVariable(secretKey: KeyObject, variable: ScheduleVariableRow): PipelineVariableInput {
  const { key, variable_type, raw } = variable;
  return {
    key,
    value: decrypt(secretKey, variable.value, buildContext(variable)),
    variable_type,
    raw: Boolean(raw),
  };
}

/** Loads and decrypts all variables of a schedule. */
export async function loadScheduleVariables(
  { database, secretKey }: Pick<Services, 'database' | 'secretKey'>,
  scheduleId: number,
): Promise<PipelineVariableInput[]> {
  const rows = await listScheduleVariables(database.reader, scheduleId);
  const decryptionKey = await secretKey();
  return rows.map((row) => decryptScheduleVariable(decryptionKey, row));
}

/** Returns the variable with this key, or null. index: pipeline_schedule_variables_by_key */
export async function findScheduleVariable(
  db: Reader,
  scheduleId: number,
  key: string,
): Promise<ScheduleVariableRow | null> {
  const query = db
    .selectFrom('pipeline_schedule_variables')
    .select(variableColumns)
    .where('schedule_id', '=', scheduleId);
  return (await query.where('key', '=', key).executeTakeFirst()) ?? null;
}

type ScheduleVariableInput = Columns<'pipeline_schedule_variables', 'key' | 'value' | 'variable_type'>;

/** Validates and encrypts a variable for storage. */
export function encryptScheduleVariable(
  secretKey: KeyObject,
  scheduleId: number,
  input: ScheduleVariableInput,
): ScheduleVariableRow | Failure<'invalid'> {
  const errors = compactFieldErrors(validateVariable({ ...input, ...DEFAULT_ATTRIBUTES }));
  if (errors !== null) return invalid(errors);
  const identity = { schedule_id: scheduleId, key: input.key };
  return {
    ...identity,
    value: encrypt(secretKey, input.value, buildContext(identity)),
    variable_type: input.variable_type,
    raw: false,
  };
}

/** Attributes that the validation expects, but that requests for variables of schedules cannot set. */
const DEFAULT_ATTRIBUTES = { masked: false, raw: false, environment_scope: '*', description: null };

/** Inserts a variable. Throws a unique violation if the schedule already has a variable with this key. */
export async function insertScheduleVariable(
  tx: Transaction,
  variable: ScheduleVariableRow,
): Promise<ScheduleVariableRow | Failure<'invalid'>> {
  // The rows are few, so counting them is cheap. index: pipeline_schedule_variables_by_key
  const keys = tx.selectFrom('pipeline_schedule_variables').select('key');
  if ((await keys.where('schedule_id', '=', variable.schedule_id).execute()).length >= MAX_VARIABLES) {
    return invalid({ base: [`Maximum number of ci pipeline schedule variables (${MAX_VARIABLES}) exceeded`] });
  }
  await tx.insertInto('pipeline_schedule_variables').values(variable).execute();
  return variable;
}

/** Updates value and type of a variable and returns it. index: pipeline_schedule_variables_by_key */
export async function updateVariable(
  tx: Transaction,
  { schedule_id, key, value, variable_type }: ScheduleVariableRow,
): Promise<ScheduleVariableRow | Failure<'notFound'>> {
  const row = await tx
    .updateTable('pipeline_schedule_variables')
    .set({ value, variable_type })
    .where('schedule_id', '=', schedule_id)
    .where('key', '=', key)
    .returning(variableColumns)
    .executeTakeFirst();
  return row ?? fail('notFound');
}

/** Deletes a variable and returns it. index: pipeline_schedule_variables_by_key */
export async function deleteVariable(
  tx: Transaction,
  { schedule_id, key }: Pick<ScheduleVariableRow, 'schedule_id' | 'key'>,
): Promise<ScheduleVariableRow | Failure<'notFound'>> {
  const row = await tx
    .deleteFrom('pipeline_schedule_variables')
    .where('schedule_id', '=', schedule_id)
    .where('key', '=', key)
    .returning(variableColumns)
    .executeTakeFirst();
  return row ?? fail('notFound');
}
