import type { Selectable } from 'kysely';
import { Type } from 'typebox';
import { type Runner, wasContactedRecently } from '#authorization/runners.ts';
import type { Reader, Transaction } from '#database/database.ts';
import { type Params, prepare, prepareForIds, prepareWrite } from '#database/prepare.ts';
import type { Schema } from '#database/schema.ts';
import { isParameterObject } from '#http/parameters/brackets.ts';
import { describe, object, optional, type ParameterValues } from '#http/parameters/declarations.ts';
import type { ParameterType } from '#http/parameters/parameter-type.ts';
import { limitedText, string } from '#http/parameters/texts.ts';

// The machines on which a runner runs (contract/runners.md §2.4, §3 "Common").

/** A manager as serialized, without its features. */
export type RunnerManagerRow = Omit<
  Selectable<Schema['runner_managers']>,
  'executor' | 'features' | 'config' | 'labels'
>;

const managerColumns = [
  'id',
  'runner_id',
  'system_id',
  'version',
  'revision',
  'platform',
  'architecture',
  'ip_address',
  'contacted_at',
  'created_at',
] as const;

/** The properties that a machine reports. */
export type MachineInfo = Partial<NonNullable<ParameterValues<typeof machineParams>['info']>>;

/** The machine that calls as a runner. */
interface RunnerMachine {
  /** Null for runners that do not send one. */
  readonly systemId: string | null | undefined;
  /** The client's address. */
  readonly address: string | null;
  /** The reported properties, if the machine sent any. Absent properties become null. */
  readonly info?: MachineInfo | null | undefined;
}

/** The system id of machines that send none. */
const LEGACY_SYSTEM_ID = '<legacy>';

/**
 * Records a call of a machine as this runner: sets the contact time and address of runner and manager, and creates the
 * manager on its first call. Each of the two statements writes one row. Returns the manager's id.
 */
export async function recordContact(
  tx: Transaction,
  { id }: Pick<Runner, 'id'>,
  machine: RunnerMachine,
): Promise<number> {
  const contactRow = { runner_id: id, contacted_at: tx.now, ip_address: machine.address ?? '' };
  const upsertManager = machine.info ? upsertManagerWithInfo : upsertManagerWithoutInfo;
  const values = {
    ...contactRow,
    ...toInfoColumns(machine.info ?? {}),
    system_id: machine.systemId || LEGACY_SYSTEM_ID,
  };
  const manager = (await upsertManager.first(tx, values))!;
  await updateRunnerContact(tx, contactRow);
  return manager.id;
}

const infoColumnNames = [
  'version',
  'revision',
  'platform',
  'architecture',
  'executor',
  'features',
  'config',
  'labels',
] as const satisfies readonly (keyof ReturnType<typeof toInfoColumns>)[];

type RunnerContact = Pick<RunnerManagerRow, 'runner_id' | 'ip_address'> & { readonly contacted_at: string };
type ManagerContact = RunnerContact & Pick<RunnerManagerRow, 'system_id'> & ReturnType<typeof toInfoColumns>;

/** Both statements are prepared once, because runners call often. Without `info`, the stored properties are kept. */
const upsertManagerWithInfo = prepareUpsert(['contacted_at', 'ip_address', ...infoColumnNames]);
const upsertManagerWithoutInfo = prepareUpsert(['contacted_at', 'ip_address']);

// index: runner_managers_by_system_id
function prepareUpsert(overwrittenColumns: readonly (keyof ManagerContact & string)[]) {
  return prepareWrite((tx, value: Params<ManagerContact>) => {
    const infoValues = Object.fromEntries(infoColumnNames.map((name) => [name, value(name)]));
    const contacted_at = value('contacted_at');
    return tx
      .insertInto('runner_managers')
      .values({
        ...infoValues,
        runner_id: value('runner_id'),
        system_id: value('system_id'),
        ip_address: value('ip_address'),
        contacted_at,
        created_at: contacted_at,
      })
      .onConflict((conflict) =>
        conflict
          .columns(['runner_id', 'system_id'])
          .doUpdateSet((eb) =>
            Object.fromEntries(overwrittenColumns.map((name) => [name, eb.ref(`excluded.${name}`)])),
          ),
      )
      .returning('id');
  });
}

// index: runners primary key
const updateRunnerContact = prepareWrite((tx, value: Params<RunnerContact>) =>
  tx
    .updateTable('runners')
    .set({ contacted_at: value('contacted_at'), ip_address: value('ip_address') })
    .where('id', '=', value('runner_id')),
);

// index: runner_managers_by_system_id
const selectManagerBySystemId = prepare((db, value: Params<{ runner: number; systemId: string }>) =>
  db
    .selectFrom('runner_managers')
    .select(['id', 'contacted_at', 'ip_address', ...infoColumnNames])
    .where('runner_id', '=', value('runner'))
    .where('system_id', '=', value('systemId')),
);

/**
 * Returns the manager's id if this call changes nothing: the last contact is recent, and address and properties are the
 * same. Null: the caller must record the contact.
 */
export async function findUnchangedManagerId(
  db: Reader,
  runner: Pick<Runner, 'id' | 'contacted_at' | 'ip_address'>,
  machine: RunnerMachine,
  now: string,
): Promise<number | null> {
  const isUnchanged = ({ contacted_at, ip_address }: Pick<Runner, 'contacted_at' | 'ip_address'>) =>
    wasContactedRecently(contacted_at, now) && ip_address === (machine.address ?? '');
  if (!isUnchanged(runner)) return null;
  const manager = await selectManagerBySystemId.first(db, {
    runner: runner.id,
    systemId: machine.systemId || LEGACY_SYSTEM_ID,
  });
  if (manager === undefined || !isUnchanged(manager)) return null;
  const reportedInfo = machine.info ? toInfoColumns(machine.info) : null;
  return reportedInfo === null || infoColumnNames.every((name) => manager[name] === reportedInfo[name])
    ? manager.id
    : null;
}

function toInfoColumns(info: MachineInfo) {
  const { version, revision, platform, architecture, executor, features, config, labels } = info;
  return {
    version: version || null,
    revision: revision || null,
    platform: platform || null,
    architecture: architecture || null,
    executor: executor || null,
    features: features ? JSON.stringify(features) : null,
    config: config ? JSON.stringify({ gpus: config.gpus ?? null }) : null,
    labels: labels ? JSON.stringify(labels) : null,
  };
}

// index: runner_managers primary key
const selectManagersByIds = prepareForIds<RunnerManagerRow>((db, ids) =>
  db.selectFrom('runner_managers').select(managerColumns).where('id', 'in', ids),
);

/** Returns these managers by id. */
export async function findManagersByIds(
  db: Reader,
  ids: readonly number[],
): Promise<ReadonlyMap<number, RunnerManagerRow>> {
  return new Map((await selectManagersByIds(db, ids)).map((manager) => [manager.id, manager]));
}

/** Returns all managers of a runner, the oldest first. index: runner_managers_by_system_id */
export function listManagers(db: Reader, runnerId: number): Promise<RunnerManagerRow[]> {
  return db
    .selectFrom('runner_managers')
    .select(managerColumns)
    .where('runner_id', '=', runnerId)
    .orderBy('id')
    .execute();
}

/** Returns the manager with the latest contact; null if there is none. index: runner_managers_by_runner */
export async function findLatestManager(db: Reader, runnerId: number): Promise<RunnerManagerRow | null> {
  const latest = await db
    .selectFrom('runner_managers')
    .select(managerColumns)
    .where('runner_id', '=', runnerId)
    .orderBy('contacted_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return latest ?? null;
}

/** Deletes a manager and keeps its runner. Returns whether it existed. index: runner_managers_by_system_id */
export async function deleteManager(tx: Transaction, runnerId: number, systemId: string): Promise<boolean> {
  const deletedManager = await tx
    .deleteFrom('runner_managers')
    .where('runner_id', '=', runnerId)
    .where('system_id', '=', systemId)
    .returning('id')
    .executeTakeFirst();
  return deletedManager !== undefined;
}

// Parameters that describe a machine (contract/runners.md §1.8, §3). Unknown values are ignored, not rejected.

export const MAX_SYSTEM_ID_LENGTH = 64;
const MAX_ENTRIES = 100;
const MAX_ENTRY_LENGTH = 255;

/** Parameter type of an object; keeps values of this type, at most `MAX_ENTRIES`, and drops the others. */
function recordParameter<T extends boolean | string>(
  kind: 'boolean' | 'string',
): ParameterType<Readonly<Record<string, T>>> {
  const isValid = (value: unknown): value is T =>
    typeof value === kind && (typeof value !== 'string' || value.length <= MAX_ENTRY_LENGTH);
  return {
    schema: Type.Object({}),
    isObject: true,
    read(raw) {
      if (!isParameterObject(raw)) return null;
      const validEntries: Record<string, T> = {};
      let count = 0;
      for (const name of Object.keys(raw)) {
        const value = raw[name];
        // Assigning to `__proto__` would replace the prototype.
        if (count === MAX_ENTRIES || name.length > MAX_ENTRY_LENGTH || name === '__proto__' || !isValid(value))
          continue;
        validEntries[name] = value;
        count++;
      }
      return validEntries;
    },
  };
}

const versionParams = {
  name: optional(string),
  version: optional(string),
  revision: optional(string),
  platform: optional(string),
  architecture: optional(string),
};

/** `info` of a registration. */
export const registrationInfo = object(versionParams);

/** The parameters of each request from a runner's machine, in addition to the token. */
export const machineParams = {
  system_id: describe(
    optional(limitedText(MAX_SYSTEM_ID_LENGTH)),
    'Identifies the machine on which the runner runs; it becomes a manager of the runner.',
  ),
  info: optional(
    object({
      ...versionParams,
      executor: optional(string),
      features: optional(recordParameter<boolean>('boolean')),
      config: optional(object({ gpus: optional(string) })),
      labels: optional(recordParameter<string>('string')),
    }),
  ),
};
