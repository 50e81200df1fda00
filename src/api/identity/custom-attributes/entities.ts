import { Type } from 'typebox';
import { isAdministrator } from '#authentication/caller.ts';
import { entity, type SerializationContext } from '#http/endpoint/entity.ts';
import {
  type CustomAttribute as Attribute,
  type CustomAttributesById,
  loadCustomAttributes,
  type OwnerType,
} from './store.ts';

export const CustomAttribute = entity('CustomAttribute', { key: Type.String(), value: Type.String() }).from(
  ({ key, value }: Attribute) => ({ key, value }),
);

/** The field of users, projects and groups; only for administrators, on request. */
export const customAttributesField = { custom_attributes: Type.Optional(Type.Array(CustomAttribute.schema)) };

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
