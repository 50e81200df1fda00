import type { KeyObject } from 'node:crypto';
import type { Columns, Reader, Transaction } from '#database/database.ts';
import type { Services } from '#http/services.ts';
import { compactFieldErrors, type Failure, fail, invalid } from '#runtime/failure.ts';
import { ENCRYPTED_COLUMNS } from '#security/encrypted-columns.ts';
import { decrypt, encrypt } from '#security/encryption.ts';
import type { PipelineVariableInput } from '../ci-file/index.ts';
import { validateVariable } from '../variables/index.ts';

/** Variables of schedules (contract/runners.md §4.7). Values are encrypted, each bound to its schedule and key. */

export interface ScheduleVariableRow
  extends Columns<'pipeline_schedule_variables', 'schedule_id' | 'key' | 'variable_type' | 'raw'> {
  /** Encrypted. */
  readonly value: string;
}

const columns = ['schedule_id', 'key', 'value', 'variable_type', 'raw'] as const;

const { buildContext } = ENCRYPTED_COLUMNS.scheduleVariable;

/** Maximum number of variables of a schedule, the same as for a request that creates a pipeline. */
const MAX_VARIABLES = 200;

/** Lists the variables of a schedule, encrypted, in order of creation. index: pipeline_schedule_variables_by_key */
export function listScheduleVariables(db: Reader, scheduleId: number): Promise<ScheduleVariableRow[]> {
  const query = db.selectFrom('pipeline_schedule_variables').select(columns).where('schedule_id', '=', scheduleId);
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
  const query = db.selectFrom('pipeline_schedule_variables').select(columns).where('schedule_id', '=', scheduleId);
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
  const primaryKey = { schedule_id: scheduleId, key: input.key };
  return {
    ...primaryKey,
    value: encrypt(secretKey, input.value, buildContext(primaryKey)),
    variable_type: input.variable_type,
    raw: false,
  };
}

/** Values for attributes that only variables of projects and groups have. */
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
    .returning(columns)
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
    .returning(columns)
    .executeTakeFirst();
  return row ?? fail('notFound');
}
