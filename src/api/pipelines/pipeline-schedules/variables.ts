import type { KeyObject } from 'node:crypto';
import type { Reader, Transaction } from '#database/database.ts';
import type { VariableType } from '#database/tables/pipelines.ts';
import type { Services } from '#http/services.ts';
import { type Failure, fail, fieldErrors, invalid } from '#runtime/failure.ts';
import { decrypt, encrypt } from '#security/encryption.ts';
import type { PipelineVariable } from '../ci-file/index.ts';
import { problemsOf } from '../variables/index.ts';

/** What a schedule gives to its pipelines (contract/runners.md §4.7). Kept encrypted, each value in its place alone. */

export interface StoredVariable {
  readonly schedule_id: number;
  readonly key: string;
  /** Encrypted. */
  readonly value: string;
  readonly variable_type: VariableType;
  readonly raw: boolean;
}

const columns = ['schedule_id', 'key', 'value', 'variable_type', 'raw'] as const;

const placeOf = ({ schedule_id, key }: Pick<StoredVariable, 'schedule_id' | 'key'>) =>
  `pipeline_schedule_variables.value:${schedule_id}/${key}`;

/** One request gives a pipeline no more either. */
const MOST = 200;

/** The ones of a schedule, encrypted, in the order in which they were given. index: pipeline_schedule_variables_by_key */
export function variablesOf(db: Reader, scheduleId: number): Promise<StoredVariable[]> {
  const found = db.selectFrom('pipeline_schedule_variables').select(columns).where('schedule_id', '=', scheduleId);
  return found.orderBy('id').execute();
}

/** The same with values that can be read. */
export function opened(secretKey: KeyObject, variable: StoredVariable): PipelineVariable {
  const { key, variable_type, raw } = variable;
  return { key, value: decrypt(secretKey, variable.value, placeOf(variable)), variable_type, raw: Boolean(raw) };
}

/** All of a schedule, for a pipeline. */
export async function openVariables(
  { database, secretKey }: Pick<Services, 'database' | 'secretKey'>,
  scheduleId: number,
): Promise<PipelineVariable[]> {
  const [rows, key] = [await variablesOf(database.reader, scheduleId), await secretKey()];
  return rows.map((row) => opened(key, row));
}

/** The one with this key; null: there is none. index: pipeline_schedule_variables_by_key */
export async function findVariable(db: Reader, scheduleId: number, key: string): Promise<StoredVariable | null> {
  const found = db.selectFrom('pipeline_schedule_variables').select(columns).where('schedule_id', '=', scheduleId);
  return (await found.where('key', '=', key).executeTakeFirst()) ?? null;
}

interface Wish {
  readonly key: string;
  readonly value: string;
  readonly variable_type: VariableType;
}

/** What stands for a variable that is sound, ready to be stored. */
export function sealed(secretKey: KeyObject, scheduleId: number, wish: Wish): StoredVariable | Failure<'invalid'> {
  const errors = fieldErrors(problemsOf({ ...wish, ...ORDINARY }));
  if (errors !== null) return invalid(errors);
  const place = { schedule_id: scheduleId, key: wish.key };
  return {
    ...place,
    value: encrypt(secretKey, wish.value, placeOf(place)),
    variable_type: wish.variable_type,
    raw: false,
  };
}

/** What variables of projects and groups are besides. */
const ORDINARY = { masked: false, raw: false, environment_scope: '*', description: null };

/** Throws the unique violation of the index by key when the schedule has one with that key. */
export async function insertVariable(
  tx: Transaction,
  variable: StoredVariable,
): Promise<StoredVariable | Failure<'invalid'>> {
  // The rows are few, so that their number is theirs to tell. index: pipeline_schedule_variables_by_key
  const keys = tx.selectFrom('pipeline_schedule_variables').select('key');
  if ((await keys.where('schedule_id', '=', variable.schedule_id).execute()).length >= MOST) {
    return invalid({ base: [`Maximum number of ci pipeline schedule variables (${MOST}) exceeded`] });
  }
  await tx.insertInto('pipeline_schedule_variables').values(variable).execute();
  return variable;
}

/** index: pipeline_schedule_variables_by_key */
export async function updateVariable(
  tx: Transaction,
  { schedule_id, key, value, variable_type }: StoredVariable,
): Promise<StoredVariable | Failure<'gone'>> {
  const row = await tx
    .updateTable('pipeline_schedule_variables')
    .set({ value, variable_type })
    .where('schedule_id', '=', schedule_id)
    .where('key', '=', key)
    .returning(columns)
    .executeTakeFirst();
  return row ?? fail('gone');
}

/** index: pipeline_schedule_variables_by_key */
export async function deleteVariable(
  tx: Transaction,
  { schedule_id, key }: Pick<StoredVariable, 'schedule_id' | 'key'>,
): Promise<StoredVariable | Failure<'gone'>> {
  const row = await tx
    .deleteFrom('pipeline_schedule_variables')
    .where('schedule_id', '=', schedule_id)
    .where('key', '=', key)
    .returning(columns)
    .executeTakeFirst();
  return row ?? fail('gone');
}
