import type { Selectable } from 'kysely';
import { justHeardSince, type Runner } from '../../../access/runners.ts';
import type { Reader, Transaction } from '../../../database/database.ts';
import { type Params, prepare, prepareForIds } from '../../../database/prepare.ts';
import type { RunnersTables } from '../../../database/tables/runners.ts';

/** The machines on which a runner runs (contract/runners.md §2.4, §3 "Common"). */

/** A manager as it is shown; what it says it can do stays behind. */
export type RunnerManager = Omit<
  Selectable<RunnersTables['runner_managers']>,
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

/** What a machine says of itself. */
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

/** Who calls as a runner. */
export interface Machine {
  /** Null for runners that don't know theirs. */
  readonly systemId: string | null | undefined;
  /** The client's address. */
  readonly address: string | null;
  /** What it has said of itself, if it did: what is not among it is not known any more. */
  readonly info?: MachineInfo | null | undefined;
}

const LEGACY = '<legacy>';

/**
 * Notes that a machine has called as this runner, which makes it known at the first time: runner and manager were
 * contacted now, from this address. Two statements, each of one row. Returns the manager's id.
 */
export async function contact(tx: Transaction, { id }: Pick<Runner, 'id'>, machine: Machine): Promise<number> {
  const ip_address = machine.address ?? '';
  const seen = { contacted_at: tx.now, ip_address, ...(machine.info ? infoColumns(machine.info) : {}) };
  const unknown = infoColumns({});
  const manager = await tx
    .insertInto('runner_managers')
    .values({ ...unknown, ...seen, runner_id: id, system_id: machine.systemId || LEGACY, created_at: tx.now })
    .onConflict((conflict) => conflict.columns(['runner_id', 'system_id']).doUpdateSet(seen))
    .returning('id')
    .executeTakeFirstOrThrow();
  await tx.updateTable('runners').set({ contacted_at: tx.now, ip_address }).where('id', '=', id).execute();
  return manager.id;
}

const infoNames = [
  'version',
  'revision',
  'platform',
  'architecture',
  'executor',
  'features',
  'config',
  'labels',
] as const satisfies readonly (keyof ReturnType<typeof infoColumns>)[];

// index: runner_managers_by_system_id
const knownMachine = prepare((db, value: Params<{ runner: number; systemId: string }>) =>
  db
    .selectFrom('runner_managers')
    .select(['id', 'contacted_at', 'ip_address', ...infoNames])
    .where('runner_id', '=', value('runner'))
    .where('system_id', '=', value('systemId')),
);

/**
 * The manager's id where nothing has to be written of this call: runner and machine were heard of just now, from this address,
 * and the machine says what it has said. Null: `contact` is to be called.
 */
export async function heardJustNow(
  db: Reader,
  runner: Pick<Runner, 'id' | 'contacted_at' | 'ip_address'>,
  machine: Machine,
  now: string,
): Promise<number | null> {
  const since = justHeardSince(now);
  const isKnown = ({ contacted_at, ip_address }: Pick<Runner, 'contacted_at' | 'ip_address'>) =>
    contacted_at !== null && contacted_at > since && ip_address === (machine.address ?? '');
  if (!isKnown(runner)) return null;
  const manager = await knownMachine.first(db, { runner: runner.id, systemId: machine.systemId || LEGACY });
  if (manager === undefined || !isKnown(manager)) return null;
  const said = machine.info ? infoColumns(machine.info) : null;
  return said === null || infoNames.every((name) => manager[name] === said[name]) ? manager.id : null;
}

function infoColumns(info: MachineInfo) {
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
const managersByIds = prepareForIds<RunnerManager>((db, ids) =>
  db.selectFrom('runner_managers').select(managerColumns).where('id', 'in', ids),
);

/** These managers, by their ids. */
export async function findManagers(db: Reader, ids: readonly number[]): Promise<ReadonlyMap<number, RunnerManager>> {
  return new Map((await managersByIds(db, ids)).map((manager) => [manager.id, manager]));
}

/** All managers of a runner, the oldest first. index: runner_managers_by_system_id */
export function managersOf(db: Reader, runnerId: number): Promise<RunnerManager[]> {
  return db
    .selectFrom('runner_managers')
    .select(managerColumns)
    .where('runner_id', '=', runnerId)
    .orderBy('id')
    .execute();
}

/** The one that was heard of last; null while there is none. index: runner_managers_by_runner */
export async function latestManager(db: Reader, runnerId: number): Promise<RunnerManager | null> {
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

/** The runner itself stays. Was there such a manager? index: runner_managers_by_system_id */
export async function deleteManager(tx: Transaction, runnerId: number, systemId: string): Promise<boolean> {
  const gone = await tx
    .deleteFrom('runner_managers')
    .where('runner_id', '=', runnerId)
    .where('system_id', '=', systemId)
    .returning('id')
    .executeTakeFirst();
  return gone !== undefined;
}
