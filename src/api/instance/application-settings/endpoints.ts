import { type TSchema, Type } from 'typebox';
import { describeChange, INSTANCE } from '#activity/index.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { administrator } from '#http/access/access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { entity } from '#http/endpoint/entity.ts';
import { nullable, ok } from '#http/endpoint/responses.ts';
import { INVALID } from '#http/errors/error-messages.ts';
import { isParameterObject } from '#http/parameters/brackets.ts';
import { atLeastOne, describe, optional, type Parameter, type ParameterValues } from '#http/parameters/declarations.ts';
import type { ParameterType } from '#http/parameters/parameter-type.ts';
import { string } from '#http/parameters/texts.ts';
import {
  addTooManyElements,
  boolean,
  commaSeparated,
  integer,
  MAX_ARRAY_LENGTH,
  oneOf,
} from '#http/parameters/types.ts';
import { compactFieldErrors, type Failure, type FieldErrors, invalid } from '#runtime/failure.ts';
import { SETTING_DEFINITIONS, SETTING_NAMES, type SettingDefinition, type SettingName } from '#settings/definitions.ts';
import {
  loadSettings,
  type SettingChanges,
  type ApplicationSettings as Settings,
  updateSettings,
  validateSettings,
} from '#settings/settings.ts';
import { SETTING_DESCRIPTIONS } from './descriptions.ts';

/** The parameter type of weights: an object with integer values. */
const weightsType: ParameterType<Record<string, number>> = {
  schema: Type.Record(Type.String(), Type.Integer(), { maxProperties: MAX_ARRAY_LENGTH }),
  isObject: true,
  read(raw, name, problems) {
    if (raw === null) return null;
    if (!isParameterObject(raw)) return problems.addInvalid(name);
    const entries = Object.entries(raw);
    if (entries.length > MAX_ARRAY_LENGTH) return addTooManyElements(name, MAX_ARRAY_LENGTH, problems);
    const parsedEntries = entries.map(([key, value]) => [
      string.read(key, name, problems),
      integer.read(value, name, problems),
    ]);
    return parsedEntries.some(([, value]) => value === null)
      ? problems.addInvalid(name)
      : Object.fromEntries(parsedEntries);
  },
};

/** Returns the parameter type of a setting. */
function toParameterType({ kind, values }: SettingDefinition<unknown>): ParameterType<unknown> {
  switch (kind) {
    case 'boolean':
      return boolean;
    case 'integer':
      return integer;
    case 'text':
      return string;
    case 'choice':
      return oneOf(...(values ?? []));
    case 'list':
      return commaSeparated(values ? oneOf(...values) : string);
    case 'weights':
      return weightsType;
  }
}

/** Returns the sentence of the API documentation about a setting, or undefined. */
function getDescription(name: SettingName): string | undefined {
  const { kind, validate, default: value } = SETTING_DEFINITIONS[name] as SettingDefinition<unknown>;
  // A switch that is validated accepts only its default.
  const isFixedSwitch = kind === 'boolean' && validate !== undefined;
  return SETTING_DESCRIPTIONS[name] ?? (isFixedSwitch ? `Cannot be changed: only ${value} is accepted.` : undefined);
}

function toParameter(name: SettingName): Parameter<unknown, 'optional'> {
  const parameter = optional(toParameterType(SETTING_DEFINITIONS[name] as SettingDefinition<unknown>));
  const description = getDescription(name);
  return description === undefined ? parameter : describe(parameter, description);
}

/** One parameter per setting. An absent parameter leaves the setting unchanged. */
const settingParameters = Object.fromEntries(SETTING_NAMES.map((name) => [name, toParameter(name)])) as {
  readonly [Name in SettingName]: Parameter<Settings[Name], 'optional'>;
};

/** The parameters of all settings, and a deprecated alias of one of them. */
const updateParameters = {
  ...settingParameters,
  allow_local_requests_from_hooks_and_services: describe(
    optional(boolean),
    'Deprecated: use `allow_local_requests_from_web_hooks_and_services`.',
  ),
};

/** Returns the changes. The deprecated alias applies only if the present name is not sent. */
function toSettingChanges(params: ParameterValues<typeof updateParameters>): SettingChanges {
  const { allow_local_requests_from_hooks_and_services: deprecatedValue, ...changes } = params;
  const { allow_local_requests_from_web_hooks_and_services: allowLocalRequests = deprecatedValue } = changes;
  return { ...changes, allow_local_requests_from_web_hooks_and_services: allowLocalRequests };
}

/** JSON schemas by kind of setting. */
const SCHEMAS: Readonly<Record<SettingDefinition<unknown>['kind'], TSchema>> = {
  boolean: Type.Boolean(),
  integer: Type.Integer(),
  text: Type.String(),
  choice: Type.String(),
  list: Type.Array(Type.String()),
  weights: Type.Record(Type.String(), Type.Integer()),
};

const settingFields = SETTING_NAMES.map((name: SettingName) => {
  const { kind, nullable: mayBeNull } = SETTING_DEFINITIONS[name];
  const description = getDescription(name);
  const schema: TSchema = description === undefined ? SCHEMAS[kind] : { ...SCHEMAS[kind], description };
  return [name, mayBeNull ? nullable(schema) : schema];
});

/**
 * All application settings (contract/conventions.md §11). `repository_storages_weighted` contains every storage, also those without a
 * weight in the settings, which count as 0.
 */
const ApplicationSettings = entity(
  'ApplicationSettings',
  Object.fromEntries(settingFields) as Record<SettingName, TSchema>,
).from((settings: Settings, { git }) => {
  const weights = settings.repository_storages_weighted;
  const storageWeights = Object.keys(git.storages).map((name) => [name, weights[name] ?? 0]);
  return { ...settings, repository_storages_weighted: Object.fromEntries(storageWeights) };
});

export const getApplicationSettings = endpoint({
  get: '/application/settings',
  summary: 'Get the application settings',
  description: 'Returns all settings of the instance, including those with default values.',
  access: administrator(),
  response: ok(ApplicationSettings),
  read: (db) => loadSettings(db),
});

export const updateApplicationSettings = endpoint({
  put: '/application/settings',
  summary: 'Update application settings',
  description:
    'Changes the sent settings and returns all of them; absent ones stay unchanged, and at least one is required. ' +
    'Changes take effect for the next request. Each changed value is recorded as an audit event.',
  access: administrator(),
  params: updateParameters,
  rules: [atLeastOne(...Object.keys(updateParameters))],
  errors: { invalid: INVALID },
  activity: ['application_setting_updated'],
  response: ok(ApplicationSettings),
  handle: ({ params, caller }, { runUnitOfWork, git }) =>
    runUnitOfWork(caller, (uow) => updateSettingsAndRecord(uow, toSettingChanges(params), git.storages)),
});

/** Storages by name. */
type StorageMap = Readonly<Record<string, unknown>>;

/** Updates settings and records one audit event for each changed value. Returns all settings. */
async function updateSettingsAndRecord(
  uow: UnitOfWork,
  changes: SettingChanges,
  storages: StorageMap,
): Promise<Settings | Failure<'invalid'>> {
  const errors = compactFieldErrors({ ...validateSettings(changes), ...validateStorages(changes, storages) });
  if (errors !== null) return invalid(errors);
  for (const { name, from, to } of await updateSettings(uow, changes)) {
    await uow.record({
      name: 'application_setting_updated',
      entity: INSTANCE,
      target: { type: 'ApplicationSetting', id: 1, details: name },
      ...describeChange(name, formatValue(from), formatValue(to)),
    });
  }
  return loadSettings(uow);
}

/** Returns an error if the weights name unknown storages. */
function validateStorages(
  { repository_storages_weighted: weights }: SettingChanges,
  storages: StorageMap,
): FieldErrors {
  const unknownStorages = Object.keys(weights ?? {}).filter((name) => !Object.hasOwn(storages, name));
  return unknownStorages.length === 0
    ? {}
    : { repository_storages_weighted: [`can't include: ${unknownStorages.join(', ')}`] };
}

/** Formats the value of a setting for an audit event. */
function formatValue(value: unknown): string | number | boolean | null {
  return typeof value === 'object' && value !== null
    ? JSON.stringify(value)
    : (value as string | number | boolean | null);
}
