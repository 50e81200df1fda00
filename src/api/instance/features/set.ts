import { findUserByUsername } from '#authentication/users/users.ts';
import type { Reader } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { describe, optional, type ParameterValues, required } from '#http/parameters/declarations.ts';
import { string } from '#http/parameters/texts.ts';
import { absentIfBlank, boolean, oneOf } from '#http/parameters/types.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { type Actor, type Flag, type FlagSetting, setFlag } from '#settings/features.ts';

// Blank texts count as absent, because the Go client sends every parameter.
const namesParam = optional(absentIfBlank(string));

/** Parameters of `setFeature`. Actors are comma-separated names or paths. */
export const setFeatureParams = {
  value: describe(required(string), '`true`, `false`, or a percentage from 0 to 100.'),
  key: describe(
    optional(absentIfBlank(oneOf('percentage_of_time', 'percentage_of_actors'))),
    'Meaning of a percentage; if absent, `percentage_of_time`.',
  ),
  feature_group: describe(namesParam, 'Names of feature groups, which are stored but enable the flag for nobody.'),
  user: describe(namesParam, 'Usernames, separated by commas.'),
  group: describe(namesParam, 'Full paths of groups, separated by commas.'),
  namespace: describe(namesParam, 'Full paths of groups or personal namespaces, separated by commas.'),
  project: describe(namesParam, 'Full paths of projects, separated by commas.'),
  runner: describe(namesParam, 'Not supported: any value is rejected.'),
  force: describe(optional(boolean, false), 'Has no effect.'),
};

type SetFeatureInput = ParameterValues<typeof setFeatureParams> & { readonly name: string };

type SetFailure = 'invalidValue' | 'actorNotFound';

/** Sets a flag for everybody, for named actors, or for a percentage (contract/conventions.md §10 "Feature flags"). */
export async function setFeature(uow: UnitOfWork, input: SetFeatureInput): Promise<Flag | Failure<SetFailure>> {
  const actors = await findActors(uow, input);
  if (isFailure(actors)) return actors;
  const setting = toFlagSetting(input, actors);
  if (setting === null) return fail('invalidValue', { name: input.name, value: input.value });
  return setFlag(uow, input.name, setting);
}

const BOOLEAN_VALUES = new Map([
  ['true', true],
  ['false', false],
]);

/** Returns the setting, or null if the value is neither a boolean nor a percentage. A percentage cannot be set for single actors. */
function toFlagSetting(input: SetFeatureInput, actors: readonly Actor[]): FlagSetting | null {
  const featureGroups = splitNames(input.feature_group);
  const isOn = BOOLEAN_VALUES.get(input.value.toLowerCase());
  if (isOn !== undefined)
    return actors.length + featureGroups.length > 0 ? { on: isOn, actors, featureGroups } : { on: isOn };
  const isNumber = /^\d{1,3}(\.\d+)?$/.test(input.value);
  if (!isNumber || Number(input.value) > 100 || actors.length + featureGroups.length > 0) return null;
  return { percentage: Number(input.value), kind: input.key ?? 'percentage_of_time' };
}

/** Returns the actors that the input names; fails if one of them does not exist. */
async function findActors(db: Reader, input: SetFeatureInput): Promise<Actor[] | Failure<'actorNotFound'>> {
  const actors: Actor[] = [];
  for (const kind of ACTOR_KINDS) {
    for (const name of splitNames(input[kind])) {
      const actor = await ACTOR_FINDERS[kind](db, name);
      if (actor === null) return fail('actorNotFound', { actor: name });
      actors.push(actor);
    }
  }
  return actors;
}

/** Splits a comma-separated list and drops blank names. */
function splitNames(list: string | null | undefined): string[] {
  const names = (list ?? '').split(',').map((name) => name.trim());
  return names.filter((name) => name !== '');
}

const ACTOR_KINDS = ['user', 'group', 'namespace', 'project', 'runner'] as const;

type ActorFinder = (db: Reader, name: string) => Promise<Actor | null>;

/** Returns the actor with a name or path, or null, by kind of actor. */
const ACTOR_FINDERS: Readonly<Record<(typeof ACTOR_KINDS)[number], ActorFinder>> = {
  async user(db, name) {
    const user = await findUserByUsername(db, name);
    return user && { type: 'User', id: user.id };
  },
  async group(db, path) {
    const namespace = await findNamespace(db, path);
    return namespace?.kind === 'group' ? { type: 'Group', id: namespace.id } : null;
  },
  async namespace(db, path) {
    const namespace = await findNamespace(db, path);
    return namespace ? { type: namespace.kind === 'group' ? 'Group' : 'Namespace', id: namespace.id } : null;
  },
  async project(db, path) {
    // index: routes_by_full_path
    const route = await db
      .selectFrom('routes')
      .select('project_id')
      .where('full_path_key', '=', foldCase(path))
      .executeTakeFirst();
    return route?.project_id ? { type: 'Project', id: route.project_id } : null;
  },
  // Runners are not supported as actors.
  runner: async () => null,
};

/** Returns the namespace with this full path, compared case-insensitively. */
async function findNamespace(db: Reader, path: string): Promise<{ id: number; kind: 'user' | 'group' } | undefined> {
  // index: routes_by_full_path
  return db
    .selectFrom('routes')
    .innerJoin('namespaces', 'namespaces.id', 'routes.namespace_id')
    .select(['namespaces.id', 'namespaces.kind'])
    .where('routes.full_path_key', '=', foldCase(path))
    .executeTakeFirst();
}
