import type { Insertable } from 'kysely';
import type { Reader, Transaction } from '#database/database.ts';
import { type Params, prepare } from '#database/prepare.ts';
import type {
  AutoStopSetting,
  EnvironmentState,
  EnvironmentsTables,
  EnvironmentTier,
} from '#database/tables/environments.ts';
import { type EnvironmentRow, environmentColumns, environmentNamed } from '#domain/environments.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, type FieldErrors, fail, fieldErrors, invalid, isFailure } from '#runtime/failure.ts';
import { isFeatureOn } from '#settings/features.ts';
import { nameErrors, nameParts } from './name-validation.ts';
import { slugOf } from './slug.ts';
import { guessTier } from './tier.ts';

/** What may be said of an environment when it is made; absent or null: what the name tells, or nothing. */
export interface NewEnvironment {
  readonly tier?: EnvironmentTier | null | undefined;
  readonly external_url?: string | null | undefined;
  readonly description?: string | null | undefined;
  readonly auto_stop_setting?: AutoStopSetting | null | undefined;
  readonly auto_stop_at?: string | null | undefined;
}

/**
 * The environment of this name in the project, made if it is not there yet; of several who make it at once one does, and
 * all get it. Failure with the errors of its fields: a name that no environment can have, or whose slug another one has.
 */
export async function environmentFor(
  uow: UnitOfWork,
  project: Pick<Project, 'id'>,
  name: string,
  wish: NewEnvironment = {},
): Promise<EnvironmentRow | Failure<'invalid'>> {
  const found = await environmentNamed(uow, project.id, name);
  if (found !== null) return found;
  const errors = fieldErrors({ name: nameErrors(name) });
  if (errors !== null) return invalid(errors);
  const made = await insertEnvironment(uow, project, name, wish);
  if (!isFailure(made)) return made;
  return (await environmentNamed(uow, project.id, name)) ?? invalid(await takenErrors(uow, project.id, name));
}

/** Adds an environment whose name is fit for one; `taken`: the name or the slug is another one's. */
export async function insertEnvironment(
  uow: UnitOfWork,
  project: Pick<Project, 'id'>,
  name: string,
  wish: NewEnvironment,
  state: EnvironmentState = 'available',
): Promise<EnvironmentRow | Failure<'taken'>> {
  const tier = wish.tier ?? guessTier(name);
  const made = await addRow(uow, {
    project_id: project.id,
    name,
    ...nameParts(name),
    slug: slugOf(name),
    external_url: wish.external_url || null,
    state,
    tier,
    description: wish.description || null,
    auto_stop_setting: wish.auto_stop_setting ?? (await autoStopSettingOf(uow, project, tier)),
    auto_stop_at: wish.auto_stop_at ?? null,
    auto_delete_at: null,
    created_at: uow.now,
    updated_at: uow.now,
  });
  return made ?? fail('taken');
}

/** Null: a unique index has it already, which is no error, so that the transaction goes on. */
async function addRow(
  tx: Transaction,
  row: Insertable<EnvironmentsTables['environments']>,
): Promise<EnvironmentRow | null> {
  const added = tx
    .insertInto('environments')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returning(environmentColumns);
  return (await added.executeTakeFirst()) ?? null;
}

/** contract/environments.md "auto_stop_setting" */
async function autoStopSettingOf(
  uow: UnitOfWork,
  { id }: Pick<Project, 'id'>,
  tier: EnvironmentTier,
): Promise<AutoStopSetting> {
  if (tier !== 'production' && tier !== 'staging') return 'always';
  const question = { flag: 'new_default_for_auto_stop', tier: uow.tier, actor: { type: 'Project', id } } as const;
  return (await isFeatureOn(uow, question)) ? 'with_action' : 'always';
}

// index: environments_by_slug
const bySlug = prepare((db, value: Params<{ project: number; slug: string }>) =>
  db
    .selectFrom('environments')
    .select('id')
    .where('project_id', '=', value('project'))
    .where('slug', '=', value('slug')),
);

const TAKEN = 'has already been taken';

/** What the name or slug of another environment has against this name, as a record says it of its fields. */
export async function takenErrors(db: Reader, projectId: number, name: string): Promise<FieldErrors> {
  const named = await environmentNamed(db, projectId, name);
  const slug = await bySlug.first(db, { project: projectId, slug: slugOf(name) });
  return fieldErrors({ name: named === null ? [] : [TAKEN], slug: slug === undefined ? [] : [TAKEN] }) ?? {};
}
