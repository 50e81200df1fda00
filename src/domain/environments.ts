import type { Selectable } from 'kysely';
import type { Reader } from '#database/database.ts';
import { isInTexts } from '#database/dialect.ts';
import { type Params, prepare, prepareForIds } from '#database/prepare.ts';
import type { Schema } from '#database/schema.ts';

// Environment rows for entities and permission checks (contract/environments.md "Data model").

export type EnvironmentRow = Omit<Selectable<Schema['environments']>, 'name_key' | 'rest_key' | 'auto_delete_at'>;

export const environmentColumns = [
  'environments.id',
  'environments.project_id',
  'environments.name',
  'environments.slug',
  'environments.folder',
  'environments.external_url',
  'environments.state',
  'environments.tier',
  'environments.description',
  'environments.auto_stop_setting',
  'environments.auto_stop_at',
  'environments.created_at',
  'environments.updated_at',
] as const;

// index: environments primary key
const findEnvironmentRow = prepare((db, value: Params<{ project: number; id: number }>) =>
  db
    .selectFrom('environments')
    .select(environmentColumns)
    .where('environments.id', '=', value('id'))
    .where('environments.project_id', '=', value('project')),
);

// index: environments_by_name
const findEnvironmentRowByName = prepare((db, value: Params<{ project: number; name: string }>) =>
  db
    .selectFrom('environments')
    .select(environmentColumns)
    .where('environments.project_id', '=', value('project'))
    .where('environments.name', '=', value('name')),
);

/** Returns the environment with this id in the project, or null. Does not check permissions. */
export async function findEnvironment(db: Reader, projectId: number, id: number): Promise<EnvironmentRow | null> {
  return (await findEnvironmentRow.first(db, { project: projectId, id })) ?? null;
}

/** Returns the environment with exactly this name in the project, or null. */
export async function findEnvironmentByName(
  db: Reader,
  projectId: number,
  name: string,
): Promise<EnvironmentRow | null> {
  return (await findEnvironmentRowByName.first(db, { project: projectId, name })) ?? null;
}

// index: environments primary key
const loadEnvironmentsById = prepareForIds<EnvironmentRow>((db, ids) =>
  db.selectFrom('environments').select(environmentColumns).where('environments.id', 'in', ids),
);

/** Returns the existing environments with these ids, in any order, with one query. */
export function findEnvironments(db: Reader, ids: readonly number[]): Promise<EnvironmentRow[]> {
  return loadEnvironmentsById(db, ids);
}

/** Returns the environments with these names in the project, keyed by name. index: environments_by_name */
export async function findEnvironmentsByNames(
  db: Reader,
  projectId: number,
  names: readonly string[],
): Promise<ReadonlyMap<string, EnvironmentRow>> {
  const rows = await db
    .selectFrom('environments')
    .select(environmentColumns)
    .where('environments.project_id', '=', projectId)
    .where((eb) => isInTexts(db, eb.ref('environments.name'), names))
    .execute();
  return new Map(rows.map((row) => [row.name, row]));
}
