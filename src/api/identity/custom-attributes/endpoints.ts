import { endpoint } from '#http/endpoint/endpoint.ts';
import { list, noContent, ok } from '#http/endpoint/responses.ts';
import { INVALID } from '#http/errors/error-messages.ts';
import { required } from '#http/parameters/declarations.ts';
import { string } from '#http/parameters/texts.ts';
import { customAttributeResource, forEachKind, keyParameter } from './access.ts';
import { CustomAttribute } from './entities.ts';
import { setCustomAttribute } from './set.ts';
import { deleteCustomAttribute, listCustomAttributes } from './store.ts';

/** Custom attributes of users, projects and groups (contract/everyday.md "Custom attributes"). */

export const [listUserCustomAttributes, listProjectCustomAttributes, listGroupCustomAttributes] = forEachKind((kind) =>
  endpoint({
    get: `${kind.path}/custom_attributes`,
    summary: `List the custom attributes of a ${kind.name}`,
    access: kind.access(),
    scopes: kind.readScopes,
    response: list(CustomAttribute),
    read: (db, { owner }) => listCustomAttributes(db, owner),
  }),
);

export const [getUserCustomAttribute, getProjectCustomAttribute, getGroupCustomAttribute] = forEachKind((kind) =>
  endpoint({
    get: `${kind.path}/custom_attributes/:key`,
    summary: `Get a custom attribute of a ${kind.name}`,
    access: kind.access().resource(customAttributeResource),
    scopes: kind.readScopes,
    response: ok(CustomAttribute),
    read: (_db, { attribute }) => attribute,
  }),
);

export const [setUserCustomAttribute, setProjectCustomAttribute, setGroupCustomAttribute] = forEachKind((kind) =>
  endpoint({
    put: `${kind.path}/custom_attributes/:key`,
    summary: `Set a custom attribute of a ${kind.name}`,
    access: kind.access(),
    params: { ...keyParameter, value: required(string) },
    errors: { invalid: INVALID },
    response: ok(CustomAttribute),
    write: (uow, { owner, params: { key, value } }) => setCustomAttribute(uow, owner, { key, value }),
  }),
);

export const [deleteUserCustomAttribute, deleteProjectCustomAttribute, deleteGroupCustomAttribute] = forEachKind(
  (kind) =>
    endpoint({
      delete: `${kind.path}/custom_attributes/:key`,
      summary: `Delete a custom attribute of a ${kind.name}`,
      access: kind.access().resource(customAttributeResource),
      response: noContent,
      write: (uow, { owner, attribute }) => deleteCustomAttribute(uow, owner, attribute.key),
    }),
);
