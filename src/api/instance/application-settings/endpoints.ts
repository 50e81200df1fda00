import { type TSchema, Type } from 'typebox';
import { administrator } from '#http/access/access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { entity } from '#http/endpoint/entity.ts';
import { nullable, ok } from '#http/endpoint/responses.ts';
import { INVALID } from '#http/errors/error-messages.ts';
import { atLeastOne } from '#http/parameters/declarations.ts';
import { SETTING_DEFINITIONS, SETTING_NAMES, type SettingDefinition, type SettingName } from '#settings/definitions.ts';
import { loadSettings, type ApplicationSettings as Settings } from '#settings/settings.ts';
import { toSettingChanges, updateParameters } from './parameters.ts';
import { updateSettingsAndRecord } from './update.ts';

/** JSON schemas by kind of setting. */
const SCHEMAS: Readonly<Record<SettingDefinition<unknown>['kind'], TSchema>> = {
  boolean: Type.Boolean(),
  integer: Type.Integer(),
  text: Type.String(),
  choice: Type.String(),
  list: Type.Array(Type.String()),
  weights: Type.Record(Type.String(), Type.Integer()),
};

const fields = SETTING_NAMES.map((name: SettingName) => {
  const { kind, nullable: mayBeNull } = SETTING_DEFINITIONS[name];
  return [name, mayBeNull ? nullable(SCHEMAS[kind]) : SCHEMAS[kind]];
});

/** All application settings (contract/conventions.md §11). `repository_storages_weighted` contains every storage; the default weight is 0. */
const ApplicationSettings = entity(
  'ApplicationSettings',
  Object.fromEntries(fields) as Record<SettingName, TSchema>,
).from((settings: Settings, { git }) => {
  const weights = settings.repository_storages_weighted;
  const storageWeights = Object.keys(git.storages).map((name) => [name, weights[name] ?? 0]);
  return { ...settings, repository_storages_weighted: Object.fromEntries(storageWeights) };
});

export const getApplicationSettings = endpoint({
  get: '/application/settings',
  summary: 'Get the application settings',
  access: administrator(),
  response: ok(ApplicationSettings),
  read: (db) => loadSettings(db),
});

export const updateApplicationSettings = endpoint({
  put: '/application/settings',
  summary: 'Update application settings',
  access: administrator(),
  params: updateParameters,
  rules: [atLeastOne(...Object.keys(updateParameters))],
  errors: { invalid: INVALID },
  activity: ['application_setting_updated'],
  response: ok(ApplicationSettings),
  handle: ({ params, caller }, { runUnitOfWork, git }) =>
    runUnitOfWork(caller, (uow) => updateSettingsAndRecord(uow, toSettingChanges(params), git.storages)),
});
