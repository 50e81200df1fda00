import { Type } from 'typebox';
import { isRaw } from '#http/parameters/brackets.ts';
import { optional, type Parameter, type ParameterValues } from '#http/parameters/declarations.ts';
import type { ParameterType } from '#http/parameters/parameter-type.ts';
import { string } from '#http/parameters/texts.ts';
import { boolean, commaArray, integer, MOST_ELEMENTS, oneOf, tooMany } from '#http/parameters/types.ts';
import {
  type ApplicationSettings,
  type Definition,
  definitions,
  type SettingName,
  settingNames,
} from '#settings/definitions.ts';
import type { SettingChanges } from '#settings/settings.ts';

/** An object of names and whole numbers. */
const weights: ParameterType<Record<string, number>> = {
  schema: Type.Record(Type.String(), Type.Integer(), { maxProperties: MOST_ELEMENTS }),
  isHash: true,
  read(raw, name, problems) {
    if (raw === null) return null;
    if (!isRaw(raw)) return problems.invalid(name);
    const entries = Object.entries(raw);
    if (entries.length > MOST_ELEMENTS) return tooMany(name, MOST_ELEMENTS, problems);
    const read = entries.map(([key, value]) => [string.read(key, name, problems), integer.read(value, name, problems)]);
    return read.some(([, value]) => value === null) ? problems.invalid(name) : Object.fromEntries(read);
  },
};

function typeOf({ kind, values }: Definition<unknown>): ParameterType<unknown> {
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
      return commaArray(values ? oneOf(...values) : string);
    case 'weights':
      return weights;
  }
}

/** Every setting by its name: undefined stays as it is. What each may be is what its definition says. */
const settingParameters = Object.fromEntries(
  settingNames.map((name) => [name, optional(typeOf(definitions[name] as Definition<unknown>))]),
) as { readonly [Name in SettingName]: Parameter<ApplicationSettings[Name], 'optional'> };

/** What may be changed, one of them under the name that it had before as well. */
export const changeParameters = {
  ...settingParameters,
  allow_local_requests_from_hooks_and_services: optional(boolean),
};

/** What was sent, by present names: the old one counts where its successor is not sent. */
export function sentChanges(sent: ParameterValues<typeof changeParameters>): SettingChanges {
  const { allow_local_requests_from_hooks_and_services: old, ...changes } = sent;
  const { allow_local_requests_from_web_hooks_and_services: present = old } = changes;
  return { ...changes, allow_local_requests_from_web_hooks_and_services: present };
}
