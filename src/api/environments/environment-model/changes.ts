import { createHash } from 'node:crypto';
import type { Insertable } from 'kysely';
import { jobsLockKey } from '#api/pipelines/processing/index.ts';
import type { Columns, Reader, Transaction } from '#database/database.ts';
import { type Params, prepare } from '#database/prepare.ts';
import type { AutoStopSetting, EnvironmentState, EnvironmentTier, Schema } from '#database/schema.ts';
import { type EnvironmentRow, environmentColumns, findEnvironmentByName } from '#domain/environments.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { NullablePartial } from '#http/parameters/declarations.ts';
import { compactFieldErrors, type Failure, type FieldErrors, fail, invalid, isFailure } from '#runtime/failure.ts';
import { isFeatureEnabled } from '#settings/features.ts';
import { toNameLookupColumns, validateEnvironmentName } from './validation.ts';

/** Attributes of a new environment; absent or null means the default, which can depend on the name. */
type NewEnvironment = NullablePartial<
  Columns<'environments', 'tier' | 'external_url' | 'description' | 'auto_stop_setting' | 'auto_stop_at'>
>;

/**
 * Returns the environment with this name, and creates it if it is missing; concurrent calls get the same one. Fails with field
 * errors if the name is invalid or its slug is taken.
 */
export async function findOrCreateEnvironment(
  uow: UnitOfWork,
  project: Pick<Project, 'id'>,
  name: string,
  attributes: NewEnvironment = {},
): Promise<EnvironmentRow | Failure<'invalid'>> {
  const existingEnvironment = await findEnvironmentByName(uow, project.id, name);
  if (existingEnvironment !== null) return existingEnvironment;
  const errors = compactFieldErrors({ name: validateEnvironmentName(name) });
  if (errors !== null) return invalid(errors);
  const createdEnvironment = await insertEnvironment(uow, project, name, attributes);
  if (!isFailure(createdEnvironment)) return createdEnvironment;
  // A concurrent request has created the environment, or another name has the same slug.
  return (
    (await findEnvironmentByName(uow, project.id, name)) ?? invalid(await findUniquenessErrors(uow, project.id, name))
  );
}

/** Inserts an environment with a valid name; fails with `taken` if the name or the slug exists. */
export async function insertEnvironment(
  uow: UnitOfWork,
  project: Pick<Project, 'id'>,
  name: string,
  attributes: NewEnvironment,
  state: EnvironmentState = 'available',
): Promise<EnvironmentRow | Failure<'taken'>> {
  const tier = attributes.tier ?? guessTier(name);
  const insertedEnvironment = await insertRow(uow, {
    project_id: project.id,
    name,
    ...toNameLookupColumns(name),
    slug: createSlug(name),
    external_url: attributes.external_url || null,
    state,
    tier,
    description: attributes.description || null,
    auto_stop_setting: attributes.auto_stop_setting ?? (await getDefaultAutoStopSetting(uow, project, tier)),
    auto_stop_at: attributes.auto_stop_at ?? null,
    auto_delete_at: null,
    created_at: uow.now,
    updated_at: uow.now,
  });
  return insertedEnvironment ?? fail('taken');
}

/** Inserts the row. Returns null on a conflict with a unique index, which does not abort the transaction. */
async function insertRow(tx: Transaction, row: Insertable<Schema['environments']>): Promise<EnvironmentRow | null> {
  const insertQuery = tx
    .insertInto('environments')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returning(environmentColumns);
  return (await insertQuery.executeTakeFirst()) ?? null;
}

/** Returns the default setting (contract/environments.md "auto_stop_setting"). */
async function getDefaultAutoStopSetting(
  uow: UnitOfWork,
  { id }: Pick<Project, 'id'>,
  tier: EnvironmentTier,
): Promise<AutoStopSetting> {
  if (tier !== 'production' && tier !== 'staging') return 'always';
  const flagQuery = { flag: 'new_default_for_auto_stop', tier: uow.tier, actor: { type: 'Project', id } } as const;
  return (await isFeatureEnabled(uow, flagQuery)) ? 'with_action' : 'always';
}

// index: environments_by_slug
const findBySlug = prepare((db, value: Params<{ project: number; slug: string }>) =>
  db
    .selectFrom('environments')
    .select('id')
    .where('project_id', '=', value('project'))
    .where('slug', '=', value('slug')),
);

const TAKEN = 'has already been taken';

/** Returns field errors if another environment has this name or its slug. */
export async function findUniquenessErrors(db: Reader, projectId: number, name: string): Promise<FieldErrors> {
  const environmentByName = await findEnvironmentByName(db, projectId, name);
  const slug = await findBySlug.first(db, { project: projectId, slug: createSlug(name) });
  return (
    compactFieldErrors({ name: environmentByName === null ? [] : [TAKEN], slug: slug === undefined ? [] : [TAKEN] }) ??
    {}
  );
}

/** Changes to an environment except its state. */
export type EnvironmentPatch = Partial<
  Pick<EnvironmentRow, 'external_url' | 'tier' | 'description' | 'auto_stop_setting' | 'auto_stop_at'>
>;

/** Updates an environment and returns the row. Equal values change nothing, not even `updated_at`. index: environments primary key */
export async function updateEnvironmentRow(
  tx: Transaction,
  environment: EnvironmentRow,
  patch: EnvironmentPatch,
): Promise<EnvironmentRow> {
  const isChanged = ([field, value]: [string, unknown]) => environment[field as keyof EnvironmentPatch] !== value;
  const changedEntries = Object.entries(patch).filter(isChanged);
  if (changedEntries.length === 0) return environment;
  return tx
    .updateTable('environments')
    .set({ ...(Object.fromEntries(changedEntries) as EnvironmentPatch), updated_at: tx.now })
    .where('id', '=', environment.id)
    .returning(environmentColumns)
    .executeTakeFirstOrThrow();
}

const MAX_LENGTH = 24;
/** Lengths of the prefix and the hash suffix of a slug that differs from its name. */
const PREFIX_LENGTH = 17;
const SUFFIX_LENGTH = 6;

/**
 * Creates the slug of an environment for host names: at most 24 characters of `a-z0-9-`, starting with a letter, not ending
 * with `-` (contract/environments.md "Slug"). Pure and deterministic.
 */
export function createSlug(name: string): string {
  const sanitizedName = name.toLowerCase().replace(/[^a-z0-9]/g, '-');
  const slug = (/^[a-z]/.test(sanitizedName) ? sanitizedName : `env-${sanitizedName}`).replace(/-+/g, '-');
  // A name that already has the form of a slug needs no hash.
  if (slug.length <= MAX_LENGTH && slug === name) return slug.endsWith('-') ? slug.slice(0, -1) : slug;
  const prefix = slug.slice(0, PREFIX_LENGTH);
  return `${prefix}${prefix.endsWith('-') ? '' : '-'}${createHashSuffix(name)}`;
}

/** Returns the last base-36 digits of the SHA-256 hash of the name. */
function createHashSuffix(name: string): string {
  const digest = BigInt(`0x${createHash('sha256').update(name).digest('hex')}`);
  return digest.toString(36).slice(-SUFFIX_LENGTH);
}

export const ENVIRONMENT_TIERS = ['production', 'staging', 'testing', 'development', 'other'] as const;

/** Patterns of names by tier, in order of precedence. */
const TIER_PATTERNS: readonly (readonly [EnvironmentTier, RegExp])[] = [
  ['development', /dev|review|trunk/i],
  ['testing', /test|tst|int|acpt|accept|qa|qc|control|quality/i],
  ['staging', /stg|stag|modl|model|pre|demo|non/i],
  ['production', /prd|prod|live/i],
];

/** Guesses the tier of an environment by its name (contract/environments.md "Tier guess"). Pure. */
export function guessTier(name: string): EnvironmentTier {
  return TIER_PATTERNS.find(([, pattern]) => pattern.test(name))?.[0] ?? 'other';
}

// State transitions of environments; all other code calls these functions (contract/environments.md "States"). A transition is
// a compare-and-set: of two concurrent calls one succeeds.

/** For each state, the states from which it can be entered. */
const ALLOWED_FROM = {
  stopping: ['available'],
  stopped: ['available', 'stopping'],
  available: ['stopping', 'stopped'],
} as const satisfies Record<EnvironmentState, readonly EnvironmentState[]>;

/**
 * Sets the state of an environment and returns the updated row; null if its state does not allow the transition or it is
 * deleted. The state `stopped` clears `auto_stop_at`.
 */
export async function setEnvironmentState(
  tx: Transaction,
  environmentId: number,
  state: EnvironmentState,
): Promise<EnvironmentRow | null> {
  // index: environments primary key
  const updateQuery = tx
    .updateTable('environments')
    .set({
      state,
      updated_at: tx.now,
      ...(state === 'stopped' ? { auto_stop_at: null } : {}),
    })
    .where('id', '=', environmentId)
    .where('state', 'in', ALLOWED_FROM[state])
    .returning(environmentColumns);
  return (await updateQuery.executeTakeFirst()) ?? null;
}

/** Returns the lock key for stopping an environment or deploying to it. */
export function environmentLockKey(environmentId: number): string {
  return `environment ${environmentId}`;
}

/** Returns the lock keys for operations that also change jobs. The order is the same everywhere, to prevent deadlocks. */
export function environmentLockKeys(projectId: number, environmentId: number): string[] {
  return [jobsLockKey(projectId), environmentLockKey(environmentId)];
}
