import { Type } from 'typebox';
import { type Caller, isAdministrator } from '#authentication/caller.ts';
import { entity, type SerializationContext } from '#http/endpoint/entity.ts';
import { isParameterObject } from '#http/parameters/brackets.ts';
import { describe, optional } from '#http/parameters/declarations.ts';
import type { ParameterType } from '#http/parameters/parameter-type.ts';
import { limitedText, string } from '#http/parameters/texts.ts';
import { addTooManyElements, boolean } from '#http/parameters/types.ts';
import {
  type CustomAttribute as Attribute,
  type CustomAttributeFilter,
  type CustomAttributesById,
  loadCustomAttributes,
  type OwnerType,
} from './store.ts';

/** A custom attribute (contract/everyday.md "Custom attributes"). */
export const CustomAttribute = entity('CustomAttribute', { key: Type.String(), value: Type.String() }).columns();

/** The field of users, projects and groups. */
export const customAttributesField = {
  custom_attributes: Type.Optional(
    Type.Array(CustomAttribute.schema, { description: 'Only for administrators, with `with_custom_attributes`.' }),
  ),
};

/** Loads the attributes of a whole list; null unless an administrator requested them. */
export async function loadRequestedCustomAttributes(
  { db, caller, params }: Pick<SerializationContext, 'db' | 'caller' | 'params'>,
  type: OwnerType,
  owners: readonly { readonly id: number }[],
): Promise<CustomAttributesById | null> {
  if (params.with_custom_attributes !== true || !isAdministrator(caller)) return null;
  return loadCustomAttributes(
    db,
    type,
    owners.map(({ id }) => id),
  );
}

/** Returns the field with the attributes of one owner, or no field if they were not requested. */
export function pickCustomAttributes(
  attributes: CustomAttributesById | null,
  id: number,
): { custom_attributes?: Attribute[] } {
  return attributes === null ? {} : { custom_attributes: [...(attributes.get(id) ?? [])] };
}

/** Maximum number of attributes that a list can be filtered by. */
const MAX_CONDITIONS = 10;
const keyText = limitedText(255);

/** The parameter type of an object of texts: `custom_attributes[key]=value`. */
const attributeValues: ParameterType<CustomAttributeFilter> = {
  schema: Type.Record(Type.String({ maxLength: 255 }), string.schema, { maxProperties: MAX_CONDITIONS }),
  read(raw, name, problems) {
    if (raw === null || raw === '') return null;
    if (!isParameterObject(raw)) return problems.addInvalid(name);
    const entries = Object.entries(raw);
    if (entries.length > MAX_CONDITIONS) return addTooManyElements(name, MAX_CONDITIONS, problems);
    return entries.map(
      ([key, value]): Attribute => ({
        key: keyText.read(key, name, problems) ?? '',
        value: string.read(value, `${name}[${key}]`, problems) ?? '',
      }),
    );
  },
};

/** The parameter by which a user, project or group shows its custom attributes. */
export const withCustomAttributes = {
  with_custom_attributes: describe(optional(boolean, false), 'Adds `custom_attributes`, for administrators only.'),
};

/** The parameters by which lists show custom attributes and filter by them. */
export const customAttributeParams = {
  ...withCustomAttributes,
  custom_attributes: describe(
    optional(attributeValues),
    'Values by key that must all be set; at most ten. Ignored unless an administrator calls.',
  ),
};

/** Returns the filter of a list; an empty one for callers who are not administrators. */
export function toCustomAttributeFilter(
  caller: Caller,
  filter: CustomAttributeFilter | null | undefined,
): CustomAttributeFilter {
  return isAdministrator(caller) ? (filter ?? []) : [];
}
