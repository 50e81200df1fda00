import { createHash } from 'node:crypto';
import type { Tier } from '#config.ts';
import type { Reader, Transaction } from '#database/database.ts';
import { type Params, prepare } from '#database/prepare.ts';

/** Feature flags (contract/conventions.md §10 "Feature flags", §11 "Known feature flags"). */

const everyTier = (isOn: boolean) => ({ free: isOn, premium: isOn, ultimate: isOn });

/** The flags that Hearth uses, with their defaults by tier. */
export const KNOWN_FLAGS = {
  generic_alert_fingerprinting: { free: false, premium: true, ultimate: true },
  prometheus_notify_max_alerts: everyTier(false),
  integrated_error_tracking: everyTier(true),
  new_default_for_auto_stop: everyTier(false),
  archive_rate_limit: everyTier(false),
  ssh_certificates_rest_endpoints: everyTier(false),
  override_bulk_import_disabled: everyTier(false),
} as const satisfies Record<string, Readonly<Record<Tier, boolean>>>;

export type FlagName = keyof typeof KNOWN_FLAGS;

export const FLAG_NAMES = Object.keys(KNOWN_FLAGS) as readonly FlagName[];

export function isFlagName(name: string): name is FlagName {
  return Object.hasOwn(KNOWN_FLAGS, name);
}

/** The object for which a flag may be enabled. */
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
  /** `Type:id`, in the order in which they were added. */
  readonly actors: readonly string[];
  readonly featureGroups: readonly string[];
}

const columns = [
  'name',
  'on_for_all',
  'percentage_of_time',
  'percentage_of_actors',
  'actors',
  'feature_groups',
] as const;

interface FlagRow {
  readonly name: string;
  readonly on_for_all: boolean;
  readonly percentage_of_time: number | null;
  readonly percentage_of_actors: number | null;
  readonly actors: string;
  readonly feature_groups: string;
}

// index: feature_flags_by_name
const flagByName = prepare((db, value: Params<{ name: string }>) =>
  db.selectFrom('feature_flags').select(columns).where('name', '=', value('name')),
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
  const row = await flagByName.first(db, { name: flag });
  return row === undefined ? KNOWN_FLAGS[flag][tier] : isFlagEnabled(toFlag(row), actor);
}

/** Returns whether any condition of the flag enables it for this actor. */
export function isFlagEnabled(flag: Flag, actor?: Actor): boolean {
  if (flag.onForAll) return true;
  if (actor && flag.actors.includes(actorKey(actor))) return true;
  if (actor && percentileOf(flag.name, actor) < (flag.percentageOfActors ?? 0)) return true;
  return Math.random() * 100 < (flag.percentageOfTime ?? 0);
}

function actorKey({ type, id }: Actor): string {
  return `${type}:${id}`;
}

/** Returns a stable percentile (0 to 100) of an actor, hashed with the flag, so that each flag selects other actors. */
function percentileOf(flag: string, actor: Actor): number {
  const digest = createHash('sha256')
    .update(`${flag}\n${actorKey(actor)}`)
    .digest();
  return (digest.readUInt32BE(0) / 2 ** 32) * 100;
}

/** Finds a flag that was set, or returns null. */
async function findFlag(db: Reader, name: string): Promise<Flag | null> {
  const row = await flagByName.first(db, { name });
  return row === undefined ? null : toFlag(row);
}

/** Lists all flags that were set, by name. */
export async function listFlags(db: Reader): Promise<Flag[]> {
  // index: feature_flags_by_name
  const rows = await db.selectFrom('feature_flags').select(columns).orderBy('name').execute();
  return rows.map(toFlag);
}

/** One change of a flag: for everyone, for some actors and feature groups, or for a percentage. */
export type FlagSetting =
  | { readonly on: boolean }
  | { readonly on: boolean; readonly actors: readonly Actor[]; readonly featureGroups: readonly string[] }
  | { readonly percentage: number; readonly kind: 'percentage_of_time' | 'percentage_of_actors' };

/** Sets a flag and returns it. Actors are added to earlier ones or removed; 0 and 100 per cent mean off and on. */
export async function setFlag(tx: Transaction, name: string, setting: FlagSetting): Promise<Flag> {
  const before = (await findFlag(tx, name)) ?? disabledFlag(name);
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

function disabledFlag(name: string): Flag {
  return { name, onForAll: false, percentageOfTime: null, percentageOfActors: null, actors: [], featureGroups: [] };
}

function applySetting(flag: Flag, setting: FlagSetting): Flag {
  if ('percentage' in setting) return withPercentage(flag, setting.percentage, setting.kind);
  if (!('actors' in setting)) return { ...disabledFlag(flag.name), onForAll: setting.on };
  const change = setting.on ? union : difference;
  return {
    ...flag,
    actors: change(flag.actors, setting.actors.map(actorKey)),
    featureGroups: change(flag.featureGroups, setting.featureGroups),
  };
}

function withPercentage(flag: Flag, percentage: number, kind: 'percentage_of_time' | 'percentage_of_actors'): Flag {
  if (percentage === 0 || percentage === 100) return { ...disabledFlag(flag.name), onForAll: percentage === 100 };
  const percentages =
    kind === 'percentage_of_time' ? { percentageOfTime: percentage } : { percentageOfActors: percentage };
  return { ...flag, onForAll: false, ...percentages };
}

const union = (one: readonly string[], more: readonly string[]) => [...new Set([...one, ...more])];
const difference = (all: readonly string[], removed: readonly string[]) =>
  all.filter((item) => !removed.includes(item));
