import { Type } from 'typebox';
import { isParameterObject } from '#http/parameters/brackets.ts';
import { optional, type Parameter, type ParameterValues } from '#http/parameters/declarations.ts';
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
import {
  type ApplicationSettings,
  SETTING_DEFINITIONS,
  SETTING_NAMES,
  type SettingDefinition,
  type SettingName,
} from '#settings/definitions.ts';
import type { SettingChanges } from '#settings/settings.ts';

/** An object with integer values. */
const weights: ParameterType<Record<string, number>> = {
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
      return weights;
  }
}

/** One parameter per setting. An absent parameter leaves the setting unchanged. */
const settingParameters = Object.fromEntries(
  SETTING_NAMES.map((name) => [
    name,
    optional(toParameterType(SETTING_DEFINITIONS[name] as SettingDefinition<unknown>)),
  ]),
) as { readonly [Name in SettingName]: Parameter<ApplicationSettings[Name], 'optional'> };

/** The parameters of all settings, and a deprecated alias of one of them. */
export const updateParameters = {
  ...settingParameters,
  allow_local_requests_from_hooks_and_services: optional(boolean),
};

/** Returns the changes. The deprecated alias applies only if the present name is not sent. */
export function toSettingChanges(params: ParameterValues<typeof updateParameters>): SettingChanges {
  const { allow_local_requests_from_hooks_and_services: deprecatedValue, ...changes } = params;
  const { allow_local_requests_from_web_hooks_and_services: allowLocalRequests = deprecatedValue } = changes;
  return { ...changes, allow_local_requests_from_web_hooks_and_services: allowLocalRequests };
}
