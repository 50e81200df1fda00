import { createHash } from 'node:crypto';
import type { Tier } from '#config.ts';
import type { Columns, Reader, Transaction } from '#database/database.ts';
import { type Params, prepare } from '#database/prepare.ts';

/** Feature flags (contract/conventions.md §10 "Feature flags", §11 "Known feature flags"). */

const forEveryTier = (isOn: boolean) => ({ free: isOn, premium: isOn, ultimate: isOn });

/** The flags that Hearth uses, with their defaults by tier. */
export const KNOWN_FLAGS = {
  generic_alert_fingerprinting: { free: false, premium: true, ultimate: true },
  prometheus_notify_max_alerts: forEveryTier(false),
  integrated_error_tracking: forEveryTier(true),
  new_default_for_auto_stop: forEveryTier(false),
  archive_rate_limit: forEveryTier(false),
  ssh_certificates_rest_endpoints: forEveryTier(false),
  override_bulk_import_disabled: forEveryTier(false),
} as const satisfies Record<string, Readonly<Record<Tier, boolean>>>;

export type FlagName = keyof typeof KNOWN_FLAGS;

export const FLAG_NAMES = Object.keys(KNOWN_FLAGS) as readonly FlagName[];

export function isFlagName(name: string): name is FlagName {
  return Object.hasOwn(KNOWN_FLAGS, name);
}

/** An object for which a flag may be enabled. */
export interface Actor {
  readonly type: 'User' | 'Group' | 'Namespace' | 'Project' | 'Ci::Runner';
  readonly id: number;
}

/** A flag that was set, with all conditions that enable it. */
export interface Flag {
  readonly name: string;
  readonly onForAll: boolean;
  readonly percentageOfTime: number | null;
  readonly percentageOfActors: number | null;
  /** Actors as `Type:id`, in the order in which they were added. */
  readonly actors: readonly string[];
  /** Stored and returned, but not evaluated. */
  readonly featureGroups: readonly string[];
}

const FLAG_COLUMNS = [
  'name',
  'on_for_all',
  'percentage_of_time',
  'percentage_of_actors',
  'actors',
  'feature_groups',
] as const;

type FlagRow = Columns<
  'feature_flags',
  'name' | 'on_for_all' | 'percentage_of_time' | 'percentage_of_actors' | 'actors' | 'feature_groups'
>;

// index: feature_flags_by_name
const selectFlagByName = prepare((db, value: Params<{ name: string }>) =>
  db.selectFrom('feature_flags').select(FLAG_COLUMNS).where('name', '=', value('name')),
);

function toFlag(row: FlagRow): Flag {
  return {
    name: row.name,
    onForAll: row.on_for_all,
    percentageOfTime: row.percentage_of_time,
    percentageOfActors: row.percentage_of_actors,
    actors: JSON.parse(row.actors),
    featureGroups: JSON.parse(row.feature_groups),
  };
}

/** Returns whether the flag is enabled, optionally for an actor. A flag that was never set has the default of its tier. */
export async function isFeatureEnabled(
  db: Reader,
  { flag, tier, actor }: { readonly flag: FlagName; readonly tier: Tier; readonly actor?: Actor },
): Promise<boolean> {
  const row = await selectFlagByName.first(db, { name: flag });
  return row === undefined ? KNOWN_FLAGS[flag][tier] : isFlagEnabled(toFlag(row), actor);
}

/** Returns whether any condition of the flag enables it for this actor. */
export function isFlagEnabled(flag: Flag, actor?: Actor): boolean {
  if (flag.onForAll) return true;
  if (actor && flag.actors.includes(formatActor(actor))) return true;
  if (actor && getPercentile(flag.name, actor) < (flag.percentageOfActors ?? 0)) return true;
  return Math.random() * 100 < (flag.percentageOfTime ?? 0);
}

function formatActor({ type, id }: Actor): string {
  return `${type}:${id}`;
}

/** Returns a stable percentile (0 to 100) of an actor, hashed with the flag, so that each flag selects other actors. */
function getPercentile(flag: string, actor: Actor): number {
  const digest = createHash('sha256')
    .update(`${flag}\n${formatActor(actor)}`)
    .digest();
  return (digest.readUInt32BE(0) / 2 ** 32) * 100;
}

/** Returns the flag, or null if it was never set. */
async function findFlag(db: Reader, name: string): Promise<Flag | null> {
  const row = await selectFlagByName.first(db, { name });
  return row === undefined ? null : toFlag(row);
}

/** Returns all flags that were set, by name. */
export async function listFlags(db: Reader): Promise<Flag[]> {
  // index: feature_flags_by_name
  const rows = await db.selectFrom('feature_flags').select(FLAG_COLUMNS).orderBy('name').execute();
  return rows.map(toFlag);
}

/** One change of a flag: for everyone, for some actors and feature groups, or for a percentage. */
export type FlagSetting =
  | { readonly on: boolean }
  | { readonly on: boolean; readonly actors: readonly Actor[]; readonly featureGroups: readonly string[] }
  | { readonly percentage: number; readonly kind: 'percentage_of_time' | 'percentage_of_actors' };

/** Sets a flag and returns it. Actors are added to the earlier ones or removed. 0 percent disables, 100 percent enables. */
export async function setFlag(tx: Transaction, name: string, setting: FlagSetting): Promise<Flag> {
  const before = (await findFlag(tx, name)) ?? createDisabledFlag(name);
  const flag = applySetting(before, setting);
  const row = {
    on_for_all: flag.onForAll,
    percentage_of_time: flag.percentageOfTime,
    percentage_of_actors: flag.percentageOfActors,
    actors: JSON.stringify(flag.actors),
    feature_groups: JSON.stringify(flag.featureGroups),
    updated_at: tx.now,
  };
  await tx
    .insertInto('feature_flags')
    .values({ name, ...row })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(row))
    .execute();
  return flag;
}

/** Deletes a flag, which then has its default again. */
export async function deleteFlag(tx: Transaction, name: string): Promise<void> {
  await tx.deleteFrom('feature_flags').where('name', '=', name).execute();
}

function createDisabledFlag(name: string): Flag {
  return { name, onForAll: false, percentageOfTime: null, percentageOfActors: null, actors: [], featureGroups: [] };
}

function applySetting(flag: Flag, setting: FlagSetting): Flag {
  if ('percentage' in setting) return withPercentage(flag, setting.percentage, setting.kind);
  if (!('actors' in setting)) return { ...createDisabledFlag(flag.name), onForAll: setting.on };
  const combine = setting.on ? mergeLists : subtractList;
  return {
    ...flag,
    actors: combine(flag.actors, setting.actors.map(formatActor)),
    featureGroups: combine(flag.featureGroups, setting.featureGroups),
  };
}

function withPercentage(flag: Flag, percentage: number, kind: 'percentage_of_time' | 'percentage_of_actors'): Flag {
  if (percentage === 0 || percentage === 100) return { ...createDisabledFlag(flag.name), onForAll: percentage === 100 };
  const percentages =
    kind === 'percentage_of_time' ? { percentageOfTime: percentage } : { percentageOfActors: percentage };
  return { ...flag, onForAll: false, ...percentages };
}

const mergeLists = (items: readonly string[], added: readonly string[]) => [...new Set([...items, ...added])];
const subtractList = (items: readonly string[], removed: readonly string[]) =>
  items.filter((item) => !removed.includes(item));
