import type { Selectable } from 'kysely';
import { type Runner, wasContactedRecently } from '#authorization/runners.ts';
import type { Reader, Transaction } from '#database/database.ts';
import { type Params, prepare, prepareForIds, prepareWrite } from '#database/prepare.ts';
import type { Schema } from '#database/schema.ts';

/** The machines on which a runner runs (contract/runners.md §2.4, §3 "Common"). */

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
export interface MachineInfo {
  readonly version?: string | null | undefined;
  readonly revision?: string | null | undefined;
  readonly platform?: string | null | undefined;
  readonly architecture?: string | null | undefined;
  readonly executor?: string | null | undefined;
  readonly features?: Readonly<Record<string, boolean>> | null | undefined;
  readonly config?: { readonly gpus?: string | null | undefined } | null | undefined;
  readonly labels?: Readonly<Record<string, string>> | null | undefined;
}

/** The machine that calls as a runner. */
export interface RunnerMachine {
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
const managerBySystemIdQuery = prepare((db, value: Params<{ runner: number; systemId: string }>) =>
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
  const manager = await managerBySystemIdQuery.first(db, {
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
const managersByIdsQuery = prepareForIds<RunnerManagerRow>((db, ids) =>
  db.selectFrom('runner_managers').select(managerColumns).where('id', 'in', ids),
);

/** Returns these managers by id. */
export async function findManagersByIds(
  db: Reader,
  ids: readonly number[],
): Promise<ReadonlyMap<number, RunnerManagerRow>> {
  return new Map((await managersByIdsQuery(db, ids)).map((manager) => [manager.id, manager]));
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
