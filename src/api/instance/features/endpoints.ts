import { administrator } from '#http/access/access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, list, noContent } from '#http/endpoint/responses.ts';
import { mutuallyExclusive, optional, required } from '#http/parameters/declarations.ts';
import { string } from '#http/parameters/texts.ts';
import { absentIfBlank, boolean, oneOf } from '#http/parameters/types.ts';
import { deleteFlag, FLAG_NAMES, listFlags } from '#settings/features.ts';
import { Feature, FeatureDefinition } from './entities.ts';
import { setFeature as setFeatureFlag } from './set.ts';

export const listFeatures = endpoint({
  get: '/features',
  summary: 'List feature flags that were set',
  access: administrator(),
  response: list(Feature),
  read: (db) => listFlags(db),
});

export const listFeatureDefinitions = endpoint({
  get: '/features/definitions',
  summary: 'List feature flag definitions',
  access: administrator(),
  response: list(FeatureDefinition),
  read: () => FLAG_NAMES,
});

export const setFeature = endpoint({
  post: '/features/:name',
  summary: 'Set a feature flag',
  access: administrator(),
  params: {
    value: required(string),
    // The Go client sends every actor parameter, empty ones too.
    key: optional(absentIfBlank(oneOf('percentage_of_time', 'percentage_of_actors'))),
    feature_group: optional(absentIfBlank(string)),
    user: optional(absentIfBlank(string)),
    group: optional(absentIfBlank(string)),
    namespace: optional(absentIfBlank(string)),
    project: optional(absentIfBlank(string)),
    runner: optional(absentIfBlank(string)),
    force: optional(boolean, false),
  },
  rules: ['feature_group', 'user', 'group', 'namespace', 'project', 'runner'].map((actor) =>
    mutuallyExclusive('key', actor),
  ),
  errors: {
    invalidValue: [400, '400 Bad request - Cannot set \'{name}\' to "{value}"'],
    actorNotFound: [400, '400 Bad request - {actor} is not found!'],
  },
  response: created(Feature),
  write: (uow, { params }) => setFeatureFlag(uow, { ...params, key: params.key ?? 'percentage_of_time' }),
});

export const deleteFeature = endpoint({
  delete: '/features/:name',
  summary: 'Delete a feature flag',
  access: administrator(),
  response: noContent,
  write: (uow, { params }) => deleteFlag(uow, params.name),
});
