import type { SignedInCaller } from '#authentication/caller.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Access, type AccessCall, administrator, administratorWithUser } from '#http/access/access.ts';
import { loadVisibleGroup, loadVisibleProject } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { list, noContent, ok } from '#http/endpoint/responses.ts';
import { INVALID } from '#http/errors/error-messages.ts';
import { genericNotFound, notFound } from '#http/errors/http-error.ts';
import { required } from '#http/parameters/declarations.ts';
import { shortText, string } from '#http/parameters/texts.ts';
import { type Failure, invalid } from '#runtime/failure.ts';
import { CustomAttribute } from './entities.ts';
import {
  type CustomAttribute as Attribute,
  deleteCustomAttribute,
  findCustomAttribute,
  listCustomAttributes,
  type Owner,
  type OwnerType,
  upsertCustomAttribute,
} from './store.ts';

/** The owner in the path, and the caller. */
interface OwnerContext {
  readonly caller: SignedInCaller;
  readonly owner: Owner;
}

/** A kind of owner, with the parts of endpoint declarations that differ between kinds. */
interface OwnerKind {
  readonly name: OwnerType;
  readonly path: '/users/:id(^\\d+$)' | '/projects/:id' | '/groups/:id';
  /** Token scopes of reads in addition to `api` and `read_api`. */
  readonly readScopes: readonly 'read_user'[];
  /** Returns access for administrators. */
  access(): Access<OwnerContext>;
}

const USER: OwnerKind = {
  name: 'user',
  path: '/users/:id(^\\d+$)',
  readScopes: ['read_user'],
  access: () =>
    administratorWithUser('id').map(({ user: { id }, caller }) => ({ owner: { type: 'user', id }, caller })),
};

const PROJECT: OwnerKind = {
  name: 'project',
  path: '/projects/:id',
  readScopes: [],
  access: () =>
    administrator()
      .resource({
        name: 'project',
        load: (call: AccessCall) => loadVisibleProject(call),
        notFound: () => notFound('Project'),
      })
      .map(({ project: { id }, caller }) => ({ owner: { type: 'project', id }, caller })),
};

const GROUP: OwnerKind = {
  name: 'group',
  path: '/groups/:id',
  readScopes: [],
  access: () =>
    administrator()
      .resource({
        name: 'group',
        load: (call: AccessCall) => loadVisibleGroup(call),
        notFound: () => notFound('Group'),
      })
      .map(({ group: { id }, caller }) => ({ owner: { type: 'group', id }, caller })),
};

/** Declares an endpoint for users, projects and groups, in this order. */
function forEachKind<Declaration>(
  declare: (kind: OwnerKind) => Declaration,
): readonly [ofUsers: Declaration, ofProjects: Declaration, ofGroups: Declaration] {
  return [declare(USER), declare(PROJECT), declare(GROUP)];
}

const keyParameter = { key: required(shortText) };

/** Loads the attribute that the path names. */
const customAttributeResource = {
  name: 'attribute',
  params: keyParameter,
  load: ({ db, params }: AccessCall<{ readonly key: string }>, { owner }: OwnerContext) =>
    findCustomAttribute(db, owner, params.key),
  notFound: genericNotFound,
} as const;

/** Custom attributes of users, projects and groups (contract/everyday.md "Custom attributes"). */

export const [listUserCustomAttributes, listProjectCustomAttributes, listGroupCustomAttributes] = forEachKind((kind) =>
  endpoint({
    get: `${kind.path}/custom_attributes`,
    summary: `List the custom attributes of a ${kind.name}`,
    description:
      'Returns all custom attributes, the oldest first, without pages. Custom attributes are texts that only ' +
      'administrators see.',
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
    description: 'Returns one custom attribute by its key.',
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
    description: 'Adds the attribute, or replaces its value if the key exists. The value must not be blank.',
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
      description: 'Deletes the attribute. Its key can be set again afterwards.',
      access: kind.access().resource(customAttributeResource),
      response: noContent,
      write: (uow, { owner, attribute }) => deleteCustomAttribute(uow, owner, attribute.key),
    }),
);

/** Adds an attribute or replaces its value. */
async function setCustomAttribute(
  uow: UnitOfWork,
  owner: Owner,
  attribute: Attribute,
): Promise<Attribute | Failure<'invalid'>> {
  if (attribute.value.trim() === '') return invalid({ value: ["can't be blank"] });
  return upsertCustomAttribute(uow, owner, attribute);
}
