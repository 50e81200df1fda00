import { type Static, Type } from 'typebox';
import { administrator } from '#http/access/access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { entity } from '#http/endpoint/entity.ts';
import { created, list, noContent, nullable, objectSchema } from '#http/endpoint/responses.ts';
import { mutuallyExclusive } from '#http/parameters/declarations.ts';
import {
  deleteFlag,
  FLAG_NAMES,
  type Flag,
  type FlagName,
  isFlagName,
  KNOWN_FLAGS,
  listFlags,
} from '#settings/features.ts';
import { setFeature as setFeatureFlag, setFeatureParams } from './set.ts';

/** The representations of a feature flag (contract/conventions.md §10). */

/** The definition of a flag that Hearth uses. */
const FeatureDefinition = entity('FeatureDefinition', {
  name: Type.String(),
  feature_issue_url: Type.Null(),
  introduced_by_url: Type.Null(),
  rollout_issue_url: Type.Null(),
  milestone: Type.Null(),
  log_state_changes: Type.Null(),
  type: Type.String(),
  group: Type.Null(),
  default_enabled: Type.Boolean(),
  intended_to_rollout_by: Type.Null(),
}).from((name: FlagName, { tier }) => ({
  name,
  feature_issue_url: null,
  introduced_by_url: null,
  rollout_issue_url: null,
  milestone: null,
  log_state_changes: null,
  type: 'development',
  group: null,
  default_enabled: KNOWN_FLAGS[name][tier],
  intended_to_rollout_by: null,
}));

/** A condition that turns a flag on, for example for some actors. */
const FeatureGate = objectSchema('FeatureGate', {
  key: Type.String(),
  value: Type.Union([Type.Boolean(), Type.Number(), Type.Array(Type.String()), Type.Null()]),
});

/** A flag that was set. The definition is null if Hearth does not use the flag. */
const Feature = entity('Feature', {
  name: Type.String(),
  state: Type.Union([Type.Literal('on'), Type.Literal('off'), Type.Literal('conditional')]),
  gates: Type.Array(FeatureGate),
  definition: nullable(FeatureDefinition.schema),
}).from((flag: Flag, context) => ({
  name: flag.name,
  state: getState(flag),
  gates: listGates(flag),
  definition: isFlagName(flag.name) ? FeatureDefinition.serialize(flag.name, context) : null,
}));

/** Returns `on` or `off` if the flag is the same for everybody, else `conditional`. */
function getState(flag: Flag): 'on' | 'off' | 'conditional' {
  if (flag.onForAll) return 'on';
  return listGates(flag).length > DEFAULT_GATE_COUNT ? 'conditional' : 'off';
}

/** Number of gates that every flag has. */
const DEFAULT_GATE_COUNT = 2;

/** Returns the gates `boolean` and `expression`, which every flag has, and the other gates that are set. */
function listGates(flag: Flag): Static<typeof FeatureGate>[] {
  const { actors, percentageOfActors, percentageOfTime, featureGroups } = flag;
  const gates: Static<typeof FeatureGate>[] = [
    { key: 'boolean', value: flag.onForAll },
    { key: 'expression', value: null },
  ];
  if (actors.length > 0) gates.push({ key: 'actors', value: [...actors] });
  if (percentageOfActors !== null) gates.push({ key: 'percentage_of_actors', value: percentageOfActors });
  if (percentageOfTime !== null) gates.push({ key: 'percentage_of_time', value: percentageOfTime });
  if (featureGroups.length > 0) gates.push({ key: 'groups', value: [...featureGroups] });
  return gates;
}

export const listFeatures = endpoint({
  get: '/features',
  summary: 'List feature flags that were set',
  description:
    'Returns the feature flags that were set, with their conditions and without pages. Flags that nobody has set ' +
    'have their default and are not listed.',
  access: administrator(),
  response: list(Feature),
  read: (db) => listFlags(db),
});

export const listFeatureDefinitions = endpoint({
  get: '/features/definitions',
  summary: 'List feature flag definitions',
  description: 'Returns the feature flags that Hearth uses, with their defaults on the tier of the instance.',
  access: administrator(),
  response: list(FeatureDefinition),
  read: () => FLAG_NAMES,
});

export const setFeature = endpoint({
  post: '/features/:name',
  summary: 'Set a feature flag',
  description:
    'Turns a flag on or off for everybody or for some actors, or sets the percentage of time or of actors for which ' +
    'it is on. Actors are added to those of earlier calls, and `false` removes them. Any name is accepted. The ' +
    'change takes effect for the next request.',
  access: administrator(),
  params: setFeatureParams,
  rules: ['feature_group', 'user', 'group', 'namespace', 'project', 'runner'].map((actor) =>
    mutuallyExclusive('key', actor),
  ),
  errors: {
    invalidValue: [400, '400 Bad request - Cannot set \'{name}\' to "{value}"'],
    actorNotFound: [400, '400 Bad request - {actor} is not found!'],
  },
  response: created(Feature),
  write: (uow, { params }) => setFeatureFlag(uow, params),
});

export const deleteFeature = endpoint({
  delete: '/features/:name',
  summary: 'Delete a feature flag',
  description:
    'Deletes the flag with all its conditions, so that it has its default again. A flag that was not set answers 204 ' +
    'too.',
  access: administrator(),
  response: noContent,
  write: (uow, { params }) => deleteFlag(uow, params.name),
});
