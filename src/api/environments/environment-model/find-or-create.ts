import type { Insertable } from 'kysely';
import type { Reader, Transaction } from '#database/database.ts';
import { type Params, prepare } from '#database/prepare.ts';
import type { AutoStopSetting, EnvironmentState, EnvironmentTier, Schema } from '#database/schema.ts';
import { type EnvironmentRow, environmentColumns, findEnvironmentByName } from '#domain/environments.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { compactFieldErrors, type Failure, type FieldErrors, fail, invalid, isFailure } from '#runtime/failure.ts';
import { isFeatureEnabled } from '#settings/features.ts';
import { toNameLookupColumns, validateEnvironmentName } from './name-validation.ts';
import { createSlug } from './slug.ts';
import { guessTier } from './tier.ts';

/** Attributes of a new environment; absent or null means the default, which can depend on the name. */
export interface NewEnvironment {
  readonly tier?: EnvironmentTier | null | undefined;
  readonly external_url?: string | null | undefined;
  readonly description?: string | null | undefined;
  readonly auto_stop_setting?: AutoStopSetting | null | undefined;
  readonly auto_stop_at?: string | null | undefined;
}

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
